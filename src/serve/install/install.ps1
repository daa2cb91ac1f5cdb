# Installs gsv for Windows from the server that served this script:
#   irm ORIGIN/public/gsv/downloads/cli/install.ps1 | iex
# GSV_BASE_URL: another server. GSV_CHANNEL: another channel. GSV_INSTALL_DIR: another directory (default: %LOCALAPPDATA%\Programs\gsv\bin).

function Install-Gsv {
  $ErrorActionPreference = 'Stop'
  $ProgressPreference = 'SilentlyContinue'
  $origin = if ($env:GSV_BASE_URL) { $env:GSV_BASE_URL } else { '@GSV_ORIGIN@' }
  $origin = $origin.TrimEnd('/')
  if ($origin -notmatch '^https?://.') { throw 'gsv: no server to download from. Set GSV_BASE_URL.' }
  $downloads = "$origin/public/gsv/downloads/cli"
  # PowerShell for x64 on an ARM64 computer says AMD64 in PROCESSOR_ARCHITECTURE.
  $machine = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
  $asset = if ($machine -eq 'ARM64') { 'gsv-windows-arm64.exe' } else { 'gsv-windows-x64.exe' }
  $directory = if ($env:GSV_INSTALL_DIR) { $env:GSV_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\gsv\bin' }

  $work = Join-Path ([System.IO.Path]::GetTempPath()) ([System.IO.Path]::GetRandomFileName())
  New-Item -ItemType Directory -Path $work | Out-Null
  $new = Join-Path $directory ".gsv.new.$PID.exe"
  try {
    $channel = $env:GSV_CHANNEL
    if (-not $channel) {
      Invoke-WebRequest -UseBasicParsing -Uri "$downloads/default-channel.txt" -OutFile "$work\channel"
      $channel = (Get-Content -Raw "$work\channel").Trim()
    }
    if ($channel -notmatch '^[A-Za-z0-9][A-Za-z0-9._-]*$') { throw 'gsv: the name of the channel is not valid' }
    Write-Host "Downloading $asset ($channel) from $origin"
    Invoke-WebRequest -UseBasicParsing -Uri "$downloads/$channel/$asset.sha256" -OutFile "$work\sum"
    Invoke-WebRequest -UseBasicParsing -Uri "$downloads/$channel/$asset" -OutFile "$work\gsv.exe"
    $wanted = ((Get-Content -Raw "$work\sum").Trim() -split '\s+')[0]
    $found = (Get-FileHash -Algorithm SHA256 -Path "$work\gsv.exe").Hash
    if ($found -ne $wanted) { throw "gsv: the checksum of $asset is wrong: nothing was installed" }

    New-Item -ItemType Directory -Force -Path $directory | Out-Null
    Copy-Item "$work\gsv.exe" $new
    $version = & $new --version
    if ($LASTEXITCODE -ne 0) { throw 'gsv: the new gsv does not run on this computer: nothing was installed' }
    $target = Join-Path $directory 'gsv.exe'
    # A running program can be renamed, but not replaced.
    if (Test-Path $target) { Move-Item -Force $target "$target.old" }
    Move-Item -Force $new $target
  } finally {
    Remove-Item -Recurse -Force $work
    if (Test-Path $new) { Remove-Item -Force $new }
  }

  Write-Host "Installed $target ($version)"
  $path = [Environment]::GetEnvironmentVariable('Path', 'User')
  if (($path -split ';') -notcontains $directory) {
    [Environment]::SetEnvironmentVariable('Path', "$directory;$path", 'User')
    Write-Host "Added $directory to your PATH. Open a new terminal to use it."
  }
  Write-Host "To use the gsv of this server from here: gsv login $origin"
}

Install-Gsv

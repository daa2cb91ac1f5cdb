// All limits. Units are in the names.

export const LIMITS = {
  frameBytesMax: 1024 * 1024, // one call, answer or signal on the wire
  messageCharsMax: 256 * 1024, // one message from a person; longer text belongs in a file
  queueRowsMax: 1000,
  queueBytesMax: 16 * 1024 * 1024,
  noticesMax: 100, // undelivered notices of a process; the oldest are dropped
  pathBytesMax: 4096,
  nameBytesMax: 255,
  symlinkDepthMax: 16,
  pidsPerCallMax: 64,
  listPageMax: 1000, // processes in one answer
  entriesPageMax: 10_000, // of a directory in one answer
  answerBytesMax: 768 * 1024, // rows of one page
  historyPageMax: 500,
  historyPageDefault: 50,
  labelCharsMax: 200,
  sessionKeyCharsMax: 2000,
  systemCharsMax: 16 * 1024, // system text from the command line; longer text belongs in a file
  turnsPerRunMax: 200, // default of run.maxTurns
  sameCallsMax: 5, // identical calls in a row in a run before gsv asks
  toolCallsPerTurnMax: 64,
  contextBytesMax: 1024 * 1024, // history that goes to a model in one call
  contextFileBytesMax: 64 * 1024, // of one file of /proc/PID/context.d
  contextFilesBytesMax: 256 * 1024, // of all of them together
  undoFileBytesMax: 16 * 1024 * 1024, // bigger files of host directories have no versions
  undoFilesMax: 20_000, // new or changed at once; above that, nothing is versioned
  undoBytesMax: 512 * 1024 * 1024,
  undoVersionsKept: 1000, // of one directory
  undoFilesPerUndoMax: 5000,
  toolArgsBytesMax: 256 * 1024, // arguments of one tool call, as JSON
  toolArgsPerTurnBytesMax: 512 * 1024, // of all calls of a turn together
  textPieceCharsMax: 96 * 1024, // of a text read in pieces: a character takes up to six bytes in JSON
  toolOutputBytesMax: 32 * 1024, // what a model sees of one result
  spawnDepthMax: 8,
  processesPerOwnerMax: 10_000,
  workspacesPerOwnerMax: 10_000,
  schedulesPerOwnerMax: 10_000,
  watchesPerOwnerMax: 1000,
  notificationsPerAccountMax: 1000, // dismissed, read and old ones give way first
  notificationTitleCharsMax: 120,
  notificationBodyCharsMax: 2000,
  notificationsPerProcessHourMax: 20,
  notificationsOfAgentsHourMax: 60, // of all agents of an account together
  openProcessDatabasesMax: 64,
  restingProcessDatabasesMax: 4, // kept open while unused
  processDatabaseRestMs: 4000,
  syscallLogRowsMax: 1000,
  connectionsMax: 1200, // to the socket, and as many to the network; fewer if the file descriptor limit is low
  subscriptionsPerConnectionMax: 256,
  waitsPerConnectionMax: 256, // at once
  subscriberEventsMax: 1000,
  subscriberBytesMax: 1024 * 1024,
  requestsKeptMs: 24 * 60 * 60 * 1000,
  decidedApprovalsKeptMs: 30 * 24 * 60 * 60 * 1000,
  auditRowsMax: 100_000,
  fileWritesMax: 50_000, // rows that say who wrote which file
  knownFilesMax: 500, // files that a process has read
  knownTextBytesMax: 64 * 1024, // of one of them, kept to show its changes
  knownTextsBytesMax: 2 * 1024 * 1024, // of all of them together
  runRoutesKeptMs: 30 * 60 * 1000,
  runDeathsMax: 3, // kernel deaths in one run without a commit between them; then the run fails
  archiveBytesMax: 4 * 1024 * 1024 * 1024, // unpacked, when read back
  fileBytesMax: 64 * 1024 * 1024, // one file through fs.*
  uploadBytesMax: 1024 * 1024 * 1024, // one file that comes in pieces
  uploadsBytesMax: 4 * 1024 * 1024 * 1024, // staged by all clients together
  uploadsMemoryBytesMax: 128 * 1024 * 1024, // of them, while they are in memory
  uploadIdleMs: 10 * 60 * 1000, // then staged bytes may be dropped
  searchMatchesMax: 500,
  shellScriptBytesMax: 512 * 1024,
  shellStdinBytesMax: 256 * 1024, // more belongs in a file
  shellOutputBytesMax: 64 * 1024 * 1024, // of one script, both streams
  shellKeptBytesMax: 16 * 1024 * 1024, // unread output of ended scripts, together
  shellWallMs: 30_000,
  shellWallMsMax: 24 * 60 * 60 * 1000,
  shellsMemoryBytesMax: 1536 * 1024 * 1024, // of the kernel with all its scripts
  shellsRunningMax: 16,
  shellsRunningMaxEach: 8, // of one account
  codeMemoryBytesMax: 64 * 1024 * 1024, // of a block of code
  codeStackBytesMax: 256 * 1024,
  codeRunMsMax: 10_000, // of its own work, without waiting
  codeOutputBytesMax: 256 * 1024, // result and logs
  codeCallsMax: 200,
  codeTrafficBytesMax: 16 * 1024 * 1024, // arguments and results of its calls together
  codeRunningMax: 8,
  webBytesMax: 5 * 1024 * 1024, // of one page, unpacked
  shellJobsRunningMax: 8, // background jobs of one shell at once
  shellJobsQueuedMax: 1000, // background jobs that wait
  mediaBytesMax: 25 * 1024 * 1024, // one picture, sound or document
  imageBytesMax: 5 * 1024 * 1024, // one image for a model
  imagesPerRequestMax: 20,
  imagesPerRequestBytesMax: 16 * 1024 * 1024,
  mediaPerProcessBytesMax: 256 * 1024 * 1024,
  mediaPerProcessMax: 1000,
  hostScriptBytesMax: 96 * 1024, // the host's limit for one program argument
  hostWallMs: 10 * 60 * 1000, // default for an agent's command
  hostRunningMax: 64,
  hostKeptMs: 24 * 60 * 60 * 1000, // output of ended commands can be read that long
  hostKeptBytesMax: 1024 * 1024 * 1024, // or until the output takes that much
  hostGraceMs: 5000, // from TERM to KILL
  hooksRunningMax: 4, // hooks that run in the background at once
  hooksAskedMax: 8, // hooks that a call waits for, at once
  hooksQueuedMax: 200, // events that wait for one hook; further ones are dropped
  hooksQueuedBytesMax: 4 * 1024 * 1024,
  hookOutputBytesMax: 8 * 1024, // of one run, per stream; the rest is dropped
  hookReasonCharsMax: 2000, // of a hook's text for a model
  jsonDepthMax: 200,
  backupBytesMax: 256 * 1024 * 1024 * 1024, // unpacked
  backupManifestBytesMax: 256 * 1024 * 1024,
  backupMembersMax: 2_000_000,
  diskReserveBytes: 64 * 1024 * 1024, // left free by a restore
  sweptArchivesMax: 100, // in one sweep
  sweptRowsMax: 5000,
} as const;

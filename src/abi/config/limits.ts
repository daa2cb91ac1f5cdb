// Every bound in one place, so that "how much can it take" has one answer. Units are in the names.

export const LIMITS = {
  frameBytesMax: 1024 * 1024, // one call, answer or signal on the wire
  messageCharsMax: 256 * 1024, // one message from a person; what is bigger belongs in a file
  queueRowsMax: 1000,
  queueBytesMax: 16 * 1024 * 1024,
  noticesMax: 100, // that wait beside the queue and wake nobody; the oldest gives way
  pathBytesMax: 4096,
  nameBytesMax: 255,
  symlinkDepthMax: 16,
  pidsPerCallMax: 64,
  listPageMax: 1000, // processes in one answer
  entriesPageMax: 10_000, // of a directory in one answer: each page lists it anew, so its bytes are what bounds it
  answerBytesMax: 768 * 1024, // rows of one answer together; more is left to the next page
  historyPageMax: 500,
  historyPageDefault: 50,
  labelCharsMax: 200,
  sessionKeyCharsMax: 2000,
  systemCharsMax: 16 * 1024, // what a process is told from the command line; what is longer belongs in a file
  turnsPerRunMax: 200, // unless run.maxTurns says otherwise
  sameCallsMax: 5, // in a run, without anything new between them, before a person is asked
  toolCallsPerTurnMax: 64,
  contextBytesMax: 1024 * 1024, // history that goes to a model in one call
  contextFileBytesMax: 64 * 1024, // of one file of /proc/PID/context.d
  contextFilesBytesMax: 256 * 1024, // of all of them together
  undoFileBytesMax: 16 * 1024 * 1024, // a bigger file of a directory of this machine has no versions
  undoFilesMax: 20_000, // that are new or changed at once; a directory with more has none
  undoBytesMax: 512 * 1024 * 1024,
  undoVersionsKept: 1000, // of one directory
  undoFilesPerUndoMax: 5000,
  toolArgsBytesMax: 256 * 1024, // arguments of one tool call, as JSON
  toolArgsPerTurnBytesMax: 512 * 1024, // of all calls of a turn together
  textPieceCharsMax: 96 * 1024, // of a text that is pulled in pieces: in JSON the worst character takes six bytes
  toolOutputBytesMax: 32 * 1024, // what a model sees of one result
  spawnDepthMax: 8,
  processesPerOwnerMax: 10_000,
  workspacesPerOwnerMax: 10_000,
  openProcessDatabasesMax: 64,
  restingProcessDatabasesMax: 4, // that stay open although nobody uses them
  processDatabaseRestMs: 20_000,
  syscallLogRowsMax: 1000,
  connectionsMax: 512, // to one kernel; fewer where the system gives it few descriptors
  subscriptionsPerConnectionMax: 256,
  waitsPerConnectionMax: 256, // at once
  subscriberEventsMax: 1000,
  subscriberBytesMax: 1024 * 1024,
  requestsKeptMs: 24 * 60 * 60 * 1000,
  decidedApprovalsKeptMs: 30 * 24 * 60 * 60 * 1000,
  auditRowsMax: 100_000,
  fileWritesMax: 50_000, // rows that say who wrote which file
  knownFilesMax: 500, // whose content a process is known to have seen
  knownTextBytesMax: 64 * 1024, // of one of them, so that it can be told what changed
  knownTextsBytesMax: 2 * 1024 * 1024, // of all of them together
  runRoutesKeptMs: 30 * 60 * 1000,
  runDeathsMax: 3, // kernel deaths within one run, with no commit between, before it is given up
  archiveBytesMax: 4 * 1024 * 1024 * 1024, // unpacked, when read back
  fileBytesMax: 64 * 1024 * 1024, // one file through fs.*
  uploadsBytesMax: 128 * 1024 * 1024, // staged by everybody together
  uploadIdleMs: 10 * 60 * 1000, // after which what was staged makes room
  searchMatchesMax: 500,
  shellScriptBytesMax: 512 * 1024,
  shellStdinBytesMax: 256 * 1024, // what is more belongs in a file
  shellOutputBytesMax: 64 * 1024 * 1024, // of one script, both streams
  shellKeptBytesMax: 16 * 1024 * 1024, // printed by scripts that have ended, together, besides what is being read
  shellWallMs: 30_000,
  shellWallMsMax: 24 * 60 * 60 * 1000,
  shellsMemoryBytesMax: 1536 * 1024 * 1024, // of the kernel with all its scripts
  shellsRunningMax: 16,
  shellsRunningMaxEach: 8, // of one account
  codeMemoryBytesMax: 64 * 1024 * 1024, // of a block of code
  codeStackBytesMax: 256 * 1024,
  codeRunMsMax: 10_000, // of its own work, without what it waits for
  codeOutputBytesMax: 256 * 1024, // result and logs
  codeCallsMax: 200,
  codeTrafficBytesMax: 16 * 1024 * 1024, // arguments and results of its calls together
  codeRunningMax: 8,
  webBytesMax: 5 * 1024 * 1024, // of one page, unpacked
  shellJobsRunningMax: 8, // what one shell runs in the background at once
  shellJobsQueuedMax: 1000, // and what waits for its turn
  mediaBytesMax: 25 * 1024 * 1024, // one picture, sound or document
  imageBytesMax: 5 * 1024 * 1024, // one image that a model is shown
  imagesPerRequestMax: 20,
  imagesPerRequestBytesMax: 16 * 1024 * 1024,
  mediaPerProcessBytesMax: 256 * 1024 * 1024,
  mediaPerProcessMax: 1000,
  hostScriptBytesMax: 96 * 1024, // the system takes no longer argument of a program
  hostWallMs: 10 * 60 * 1000, // of an agent's command that says nothing else
  hostRunningMax: 64,
  hostKeptMs: 24 * 60 * 60 * 1000, // what has ended can be read so long
  hostKeptBytesMax: 1024 * 1024 * 1024, // or until it takes so much
  hostGraceMs: 5000, // from TERM to KILL
  hooksRunningMax: 4, // that nobody waits for, at once
  hooksAskedMax: 8, // that a call waits for, at once
  hooksQueuedMax: 200, // events that wait for one hook; what comes beyond that is not told
  hooksQueuedBytesMax: 4 * 1024 * 1024,
  hookOutputBytesMax: 8 * 1024, // of one run, of each stream: what is more is not kept
  hookReasonCharsMax: 2000, // of what a hook says to a model
  jsonDepthMax: 200,
  backupBytesMax: 256 * 1024 * 1024 * 1024, // unpacked
  backupManifestBytesMax: 256 * 1024 * 1024,
  backupMembersMax: 2_000_000,
  diskReserveBytes: 64 * 1024 * 1024, // what a restore leaves free
  sweptArchivesMax: 100, // in one sweep, and so on
  sweptRowsMax: 5000,
} as const;

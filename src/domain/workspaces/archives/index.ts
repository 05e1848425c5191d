export { boundedEntries } from "./bounded-entries.ts";
export { latestSnapshot } from "./latest-snapshot.ts";
export { deleteSnapshots, sweepSnapshots } from "./prune-snapshots.ts";
export { findSnapshot, snapshotOfTask, snapshotsOf, type Snapshot, type SnapshotRole } from "./queries.ts";
export { projectContents } from "./project-contents.ts";
export { restoreSnapshot } from "./restore-snapshot.ts";
export { packEntries, unpackEntries } from "./tar.ts";
export { takeSnapshot, type SnapshotWish, type TakeDeps, type TakenSnapshot } from "./take-snapshot.ts";
export { requireZippable, zipEntries } from "./zip.ts";

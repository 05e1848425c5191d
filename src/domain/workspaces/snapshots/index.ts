export { createSnapshot } from "./create-snapshot.ts";
export { EXPORT_FORMATS, exportProject } from "./export-project.ts";
export { exportTemplate } from "./export-template.ts";
export { forkProject } from "./fork-project.ts";
export { listSnapshots } from "./list-snapshots.ts";
export { recoverProject, restoreProject } from "./restore-project.ts";
export { volumeStatus } from "./volume-status.ts";

import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";

/** The part of a runtime that containers use. */
export type ContainerRuntime = Pick<
  ProjectRuntime,
  | "runsProcesses"
  | "reservedPorts"
  | "listensOn"
  | "startProcess"
  | "stopProcess"
  | "processes"
  | "readLog"
  | "fetchPort"
  | "exec"
  | "stat"
  | "makeDirectory"
  | "readFile"
>;

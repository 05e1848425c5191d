export { commandLineCaller } from "./access.ts";
export { openCommandLine } from "./open-command-line.ts";
export { takeFrame, type CommandLine } from "./take-frame.ts";

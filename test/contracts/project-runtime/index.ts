import { describe } from "vitest";
import { commandsContract } from "./commands.ts";
import { directoriesContract } from "./directories.ts";
import { filesContract } from "./files.ts";
import { linksContract } from "./links.ts";
import { longPathsContract } from "./long-paths.ts";
import { notesContract } from "./notes.ts";
import { pipesContract } from "./pipes.ts";
import { processesContract } from "./processes.ts";
import { readOnlyCommandsContract } from "./read-only-commands.ts";
import { shellsContract } from "./shells.ts";
import { storageContract, storageStatesContract } from "./storage.ts";
import type { Open } from "./under-test.ts";
import { versionsContract } from "./versions.ts";

/** The contract of every project runtime. Each test gets a project of its own, or one that is as if it were new. */
export function projectRuntimeContract(
  name: string,
  open: Open,
  /**
   * For a runtime that is only part of a driver: another part may keep `storageStates` and limit processes (`contained`). Also
   * whether it runs programs at all, and whether it can run commands that change nothing (`readOnlyCommands`). `openNew` is
   * for the states of a storage, where `open` returns projects that other tests have had before.
   */
  {
    storageStates = true,
    contained = true,
    runsProcesses = false,
    readOnlyCommands = true,
    openNew = open,
  }: {
    storageStates?: boolean;
    contained?: boolean;
    runsProcesses?: boolean;
    readOnlyCommands?: boolean;
    openNew?: Open;
  } = {},
): void {
  describe(`${name} as a project runtime`, () => {
    filesContract(open);
    versionsContract(open);
    directoriesContract(open);
    linksContract(open, { contained });
    commandsContract(open, { contained, runsProcesses });
    readOnlyCommandsContract(open, { refused: !readOnlyCommands });
    shellsContract(open);
    if (runsProcesses) {
      processesContract(open);
      pipesContract(open);
    }
    storageContract(open);
    longPathsContract(open);
    if (storageStates) {
      storageStatesContract(openNew);
      notesContract(openNew);
    }
  });
}

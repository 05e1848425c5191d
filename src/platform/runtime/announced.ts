import { isReading } from "#src/git/is-reading.ts";
import type { FileChanges } from "#src/platform/objects/file-changes.ts";
import type { ExecOptions } from "./project-commands.ts";
import type { ProjectRuntime } from "./project-runtime.ts";
import type { ProjectWorkspaces } from "./project-workspaces.ts";
import type { ShellOutput } from "./project-shells.ts";

/** The paths that a call changes; null if it may change anything, undefined if it changes nothing. */
type Changed = readonly string[] | null | undefined;

type Changing = Pick<
  ProjectRuntime,
  | "writeFile"
  | "writeStream"
  | "makeDirectory"
  | "remove"
  | "rename"
  | "replaceEntries"
  | "git"
  | "exec"
  | "readShell"
>;

type Calls = {
  [Name in keyof Changing]: (
    given: Parameters<Changing[Name]>,
    result: Awaited<ReturnType<Changing[Name]>>,
  ) => Changed;
};

const ofPath = ([path]: readonly [string, ...unknown[]]): Changed => [path];

/** What the calls of a runtime change, once they have succeeded. */
const CHANGED: Calls = {
  writeFile: ofPath,
  writeStream: ofPath,
  makeDirectory: ofPath,
  remove: ofPath,
  rename: ([from, to]) => [from, to],
  replaceEntries: () => null,
  git: ([name]) => (isReading(name) ? undefined : null),
  exec: ([, options]) => ofCommand(options),
  // A program with new output has worked since the last read.
  readShell: (_, output: ShellOutput) => (output.data.length > 0 ? null : undefined),
};

/** Calls that may have changed files although they failed. */
const HALF_DONE: ReadonlySet<string | symbol> = new Set(["git", "exec"]);

function ofCommand({ readOnly = false }: ExecOptions): Changed {
  return readOnly ? undefined : null;
}

/** The same workspaces. Tells clients that have a project open which of its files have changed. */
export function announced(
  workspaces: ProjectWorkspaces,
  changes: Pick<FileChanges, "announce">,
): ProjectWorkspaces {
  return {
    destroy: (projectId) => workspaces.destroy(projectId),
    runtime(projectId) {
      const announce = (name: string | symbol, given: unknown[], result: unknown) => {
        const changed: unknown = Reflect.get(CHANGED, name);
        if (typeof changed !== "function") return;
        const paths: Changed = Reflect.apply(changed, undefined, [given, result]);
        if (paths !== undefined) changes.announce(projectId, paths);
      };
      return new Proxy(workspaces.runtime(projectId), {
        get(runtime, name) {
          const part: unknown = Reflect.get(runtime, name);
          if (typeof part !== "function" || !(name in CHANGED)) return part;
          return async (...given: unknown[]) => {
            try {
              const result: unknown = await Reflect.apply(part, runtime, given);
              announce(name, given, result);
              return result;
            } catch (error) {
              if (HALF_DONE.has(name)) announce(name, given, undefined);
              throw error;
            }
          };
        },
      });
    },
  };
}

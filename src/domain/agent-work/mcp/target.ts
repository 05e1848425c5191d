import { AppError } from "#src/lib/errors.ts";
import type { McpTarget } from "#src/platform/mcp-client/mcp-client.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { McpServer } from "./queries.ts";
import { isStdio, NO_PROGRAMS, startAllowed, type StartDeps, type StartedProgram } from "./stdio-program.ts";

export type ReachDeps = StartDeps;

/** What goes with the requests to a server. */
interface Given extends Pick<McpTarget, "headers" | "tokens"> {
  /** Is told with what a stdio server is started, before that. */
  onStart?: (program: StartedProgram) => void;
}

type Place = Pick<McpServer, "url" | "projectId">;

/** Whether a server is a program of its own project: `http://localhost` of a server of scope `project`. */
export function isInProject({ url, projectId }: Place): boolean {
  const at = URL.parse(url);
  return projectId !== null && at?.protocol === "http:" && at.hostname === "localhost";
}

/** Where a server is, and the way to it: to a program of its own project through the runtime, as previews have it. */
export function targetOf(
  deps: ReachDeps,
  { url, projectId, name }: Place & Pick<McpServer, "name">,
  { onStart, ...credentials }: Given,
): McpTarget {
  if (projectId !== null && isStdio({ url })) {
    const program = () => startAllowed(deps, projectId, { name, url }, onStart);
    return { url, headers: {}, program };
  }
  if (projectId === null || !isInProject({ url, projectId })) return { url, ...credentials };
  const runtime = deps.workspaces.runtime(projectId);
  return { url, ...credentials, fetch: fetchInProject(runtime, new URL(url).origin) };
}

/** A fetch that reaches one port of a project, and nothing else. Throws `unavailable` where nothing answers there. */
function fetchInProject(
  runtime: Pick<ProjectRuntime, "runsProcesses" | "fetchPort">,
  origin: string,
): typeof fetch {
  return async (input, { method = "GET", headers = [], body = null, signal = null } = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin) throw new AppError("invalid_input", "A program has one port alone");
    if (!runtime.runsProcesses) {
      throw new AppError("unavailable", `${NO_PROGRAMS}: the server needs an address outside of the project`);
    }
    const port = Number(url.port || "80");
    try {
      const request = new Request(url, { method, headers, body, signal, redirect: "manual" });
      return await runtime.fetchPort(port, request);
    } catch (cause) {
      if (!(cause instanceof AppError)) throw cause;
      throw new AppError("unavailable", sentenceFor(cause, port), { cause });
    }
  };
}

function sentenceFor({ code, message }: AppError, port: number): string {
  if (code === "asleep") return "The project is asleep: start it, and the program with the server";
  if (code === "forbidden") return message;
  return `Nothing answers on port ${port} of the project: start the container that has the server`;
}

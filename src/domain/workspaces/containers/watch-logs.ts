import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { ProjectProcesses } from "#src/platform/runtime/project-processes.ts";
import { openVariables, redactVariables } from "./environment.ts";
import type { Container } from "./queries.ts";

/** Earlier lines that a new watcher receives. */
const TAIL = 100;
/** Longer lines are cut; in UTF-16 units. */
const MAX_LINE = 16 * 1024;

/**
 * The last lines of a container's program and then new ones, in groups, without the values of its variables. A
 * returning watcher names the last line it received and continues after it. Ends with `signal`, and at once if nothing
 * runs; throws the runtime's errors.
 */
export async function* watchLogs(
  deps: { secrets: Pick<Secrets, "decrypt"> },
  container: Container,
  runtime: Pick<ProjectProcesses, "runsProcesses" | "readLog" | "watchLog">,
  { after, signal }: { after: string | undefined; signal: AbortSignal },
): AsyncGenerator<string[], void, undefined> {
  if (!runtime.runsProcesses) return;
  const secret = await openVariables(deps.secrets, container.encryptedEnv);
  const shown = (lines: readonly string[]) =>
    redactVariables(lines, secret).map((line) => line.slice(0, MAX_LINE));
  if (after !== undefined) {
    const tail = shown(await runtime.readLog(container.id, TAIL));
    yield tail.slice(tail.lastIndexOf(after) + 1);
  }
  const stream = await runtime.watchLog(container.id, after === undefined ? TAIL : 0);
  for await (const lines of linesOf(stream, signal)) yield shown(lines);
}

/** The complete lines of each chunk. */
async function* linesOf(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string[], void, undefined> {
  const reader = stream.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  const decoder = new TextDecoder();
  let rest = "";
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      // An overlong line without an end is returned in parts.
      rest = lines.at(-1) ?? "";
      if (rest.length < MAX_LINE) lines.pop();
      else rest = "";
      if (lines.length > 0) yield lines;
    }
    if (rest !== "" && !signal.aborted) yield [rest];
  } finally {
    signal.removeEventListener("abort", stop);
    await reader.cancel().catch(() => undefined);
  }
}

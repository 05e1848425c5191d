import { buffer } from "node:stream/consumers";
import { serve } from "#local/serve.ts";
import type { PastTurn } from "#src/agent/kept-parts.ts";
import { LogWriter } from "#src/agent/log-writer.ts";
import { runTurn } from "#src/agent/run-turn.ts";
import { RunSecrets } from "#src/agent/scrubbing/run-secrets.ts";
import { toolDefinitions } from "#src/agent/tools/index.ts";
import { transcript } from "#src/agent/transcript.ts";
import { TurnRecords } from "#src/agent/turn-records.ts";
import { taskEvents } from "#src/domain/agent-work/tasks/index.ts";
import { KeptPart } from "#src/models/kept-part.ts";
import type { Model, ModelUsage } from "#src/models/model.ts";
import { toStream } from "#test/models/answering.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { refusalOf } from "#test/support/strict/answer-refusal.ts";
import { toolContext } from "#test/support/tool-context.ts";

/** An answer of the server: the frames of a stream, or a refusal. */
export type Answer = readonly string[] | { status: number; body: unknown };

const MOST_TURNS = 5;

/**
 * Runs the turns of a task with a model over HTTP. The server gives the answers in turn, and refuses what a provider would
 * refuse, or what `judge` says.
 */
export async function workOverHttp(
  connect: (url: string) => Model,
  answers: readonly Answer[],
  judge: (path: string, body: unknown) => string | undefined = refusalOf,
) {
  const bodies: unknown[] = [];
  const refusals: string[] = [];
  const server = await serve(async (request, response) => {
    const body: unknown = JSON.parse((await buffer(request)).toString());
    const refusal = judge(request.url ?? "", body);
    const answer = answers[bodies.length] ?? [];
    bodies.push(body);
    if (refusal !== undefined) refusals.push(refusal);
    if ("status" in answer) response.writeHead(answer.status).end(JSON.stringify(answer.body));
    else response.writeHead(200, { "content-type": "text/event-stream" }).end(toStream(answer));
  });
  const model = connect(server.url);
  const runtime = new MemoryRuntime();
  const tools = toolContext({ runtime });
  const turns: PastTurn[] = [];
  const used: ModelUsage[] = [];
  let shrunk = 0;
  const conversation = () => transcript({ history: [], message: "go", turns });

  async function turn(): Promise<PastTurn> {
    const { turn: done } = await runTurn({
      iteration: turns.length + 1,
      request: {
        model,
        system: "You are a test.",
        definitions: toolDefinitions(tools, null),
        seal: async (part) => JSON.stringify(part),
        window: {
          messages: async () => conversation(),
          shrink: async () => {
            shrunk += 1;
            return conversation();
          },
        },
      },
      calls: { tools, gate: { enter: async () => ({ allowed: true }) }, beforeChange: async () => undefined },
      log: {
        records: new TurnRecords(turns.length + 1, []),
        writer: new LogWriter({
          append: async () => ({ stale: false, stop: null }),
          textEvent: taskEvents.textDelta,
          onStop: () => {},
          sparingAfter: 100,
        }),
      },
      secrets: new RunSecrets({ load: async () => [], files: runtime, onUnreadable: () => {} }),
      observer: { modelUsed: (usage) => used.push(usage), said: () => {}, toolFailed: () => {} },
    });
    return done.kept ? { ...done, part: KeptPart.parse(JSON.parse(done.kept)) } : done;
  }

  let failure: unknown;
  try {
    while (turns.length < MOST_TURNS && !turns.at(-1)?.is_complete) turns.push(await turn());
  } catch (error) {
    failure = error;
  } finally {
    await server.close();
  }
  const fileText = async (path: string) =>
    new TextDecoder().decode((await runtime.readFile(path)) ?? new Uint8Array());
  return { turns, failure, used, shrunk, bodies, refusals, fileText };
}

import { decodeFrame, encodeFrame, ToShell, type FromShell } from "#src/shell/frames.ts";
import type { FileAnswer } from "#src/shell/file-calls.ts";
import { runJob } from "#src/shell/run-job.ts";

/**
 * A process that runs shell jobs, one after the other, for one project, until it is killed. Frames are messages to and
 * from its parent; after each result the process reports that it is idle.
 */
type Answered = (answered: { answer: FileAnswer; bytes: Uint8Array }) => void;

let calls = 0;
const pending = new Map<number, Answered>();
let cancelled = new AbortController();

process.on("message", (frame) => {
  if (!(frame instanceof Uint8Array)) return;
  const { message, bytes } = decodeFrame(frame, ToShell);
  if (message.kind === "cancel") cancelled.abort();
  else if (message.kind === "answer") {
    pending.get(message.id)?.({ answer: message.answer, bytes });
    pending.delete(message.id);
  } else void run(message.job, bytes);
});
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function run(job: Extract<ToShell, { kind: "job" }>["job"], bytes: Uint8Array): Promise<void> {
  cancelled = new AbortController();
  const done = await runJob(
    { value: job, bytes },
    {
      cancelled: cancelled.signal,
      pause: () => new Promise((resolve) => setImmediate(resolve)),
      callFiles: (call, given) =>
        new Promise((resolve) => {
          calls += 1;
          pending.set(calls, resolve);
          send({ kind: "call", id: calls, call }, given);
        }),
    },
  );
  pending.clear();
  send({ kind: "result", result: done.value }, done.bytes);
  process.send?.("idle");
}

function send(message: FromShell, bytes?: Uint8Array): void {
  process.send?.(encodeFrame(message, bytes));
}

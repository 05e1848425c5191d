import { command } from "../command.ts";
import { stopped, UsageError } from "../errors.ts";
import { onInterrupt } from "../input/interrupts.ts";
import { textOf } from "../json.ts";
import { forward } from "../listen/forward.ts";
import { listen as follow } from "../listen/listen.ts";
import { positionFile } from "../listen/position.ts";
import { listenSecret } from "../listen/secret.ts";
import { bold, dim, green, red } from "../output/styles.ts";
import { openService } from "../service.ts";
import { configFolder } from "../session/profiles.ts";

/** Each look is two requests; a person has fewer of them in a minute than a key. */
const POLL_MS = { key: 2_000, person: 6_000 };

export const listen = command("listen", {
  description: "Post the final status of your tasks to a local port, signed as callbacks are",
  args: {
    "forward-to": { type: "string", description: "Address or port of the receiver", valueHint: "address" },
    "print-secret": { type: "boolean", description: "Print the secret for checking signatures, and end" },
  },
  async run(context, args) {
    const { output, environment } = context;
    const folder = configFolder(environment);
    const { secret, isNew } = await listenSecret(folder);
    if (args["print-secret"]) return output.show({ secret }, secret);
    const receiver = receiverOf(args["forward-to"]);
    const service = await openService(context);
    const control = new AbortController();
    const release = onInterrupt(() => control.abort(stopped()));
    try {
      if (isNew) output.note("Secret of the signatures, which stays the same: ", bold(secret));
      await follow({
        workspace: service.workspace,
        file: positionFile(folder, service.address, receiver),
        pollMs: POLL_MS[service.caller],
        signal: control.signal,
        began: () =>
          output.note(
            `Forwarding to ${receiver}, signed with the secret of \`listen --print-secret\`. Ctrl-C ends.`,
          ),
        note: (problem) => output.aside(problem),
        deliver: async (id, status) => {
          const state = textOf(status, "status") ?? "";
          const body = JSON.stringify(status);
          await forward({
            receiver,
            // As the service's own callbacks name it: a repetition is recognised by it.
            id: `task_${id}`,
            body,
            secret,
            signal: control.signal,
            told: ({ attempt, delivered, statusCode, error }) =>
              output.show(
                { task_id: id, status: state, attempt, delivered, status_code: statusCode, error },
                () => [
                  [
                    delivered ? green("✓") : red("✗"),
                    ` ${id} ${state} `,
                    dim(error ?? `→ ${statusCode ?? ""}`),
                  ],
                ],
              ),
          });
        },
      });
    } finally {
      release();
    }
  },
});

/** `3000`, `localhost:3000/hooks` or a whole address. */
function receiverOf(given: string | undefined): string {
  if (given === undefined) throw new UsageError("Where to? Name it with --forward-to 3000");
  const text = /^\d+$/u.test(given) ? `localhost:${given}` : given;
  const address = /^https?:\/\//iu.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || url.username !== "" || url.password !== "") {
    throw new UsageError(`${given} is not an address: write it as 3000 or http://localhost:3000/hooks`);
  }
  return url.href;
}

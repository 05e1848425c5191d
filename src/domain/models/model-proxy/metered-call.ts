import type { ChosenModel } from "#src/domain/models/model-keys/index.ts";
import { PrepaidModel } from "#src/domain/billing/prepaid-models/index.ts";
import { insertCallOfTeam } from "#src/domain/billing/usage/index.ts";
import { estimateUsage } from "#src/models/estimate-tokens.ts";
import type { ModelEvent, ModelRequest, ModelUsage } from "#src/models/model.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";

/** Who asks, and the team that pays. */
export interface Payer {
  userId: string;
  teamId: string;
}

/**
 * The events of a model call that is noted and paid for, once: by what its answer says it took, before the `finished` event is
 * given. What it may cost is reserved before. A call that ends before is paid for by what was sent and received until then, which nobody but us has counted; one
 * that the provider failed before its first word costs nothing.
 */
export async function* meteredCall(
  deps: { db: Db; log: Pick<Log, "warn"> },
  payer: Payer,
  call: { chosen: ChosenModel; request: ModelRequest; signal: AbortSignal },
): AsyncGenerator<ModelEvent, void, undefined> {
  const { chosen, request, signal } = call;
  let isSent = false;
  const model = new PrepaidModel(deps, chosen, { teamId: payer.teamId, onSending: () => (isSent = true) });
  const note = (usage: ModelUsage) => insertCallOfTeam(deps.db, payer, model.toCall("proxy", usage));
  let received = "";
  let isNoted = false;
  try {
    for await (const event of model.stream(request, signal)) {
      if (event.type === "text_delta") received += event.text;
      if (event.type === "finished") {
        isNoted = true;
        await note(event.usage);
      }
      yield event;
    }
  } finally {
    try {
      // Who hangs up has had the model at work.
      if (isSent && !isNoted && (received !== "" || signal.aborted)) {
        await note(estimateUsage(request, { text: received }));
      }
    } finally {
      await model.end();
    }
  }
}

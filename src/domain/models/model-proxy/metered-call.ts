import type { ChosenModel } from "#src/domain/models/model-keys/index.ts";
import { PrepaidModel } from "#src/domain/models/prepaid-models/index.ts";
import { insertCallOfTeam } from "#src/domain/metering/usage/index.ts";
import { estimateUsage } from "#src/models/estimate-tokens.ts";
import type { ModelEvent, ModelRequest, ModelUsage } from "#src/models/model.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";

/** The caller, and the team that pays. */
export interface Payer {
  userId: string;
  teamId: string;
}

/**
 * Yields the events of a model call, which is recorded and charged once, by the usage that the model reports, before
 * the `finished` event. Its possible cost is reserved before. A call that ends early is charged by the service's own
 * count of what was sent and received. A call that the provider fails before the first word is free.
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
      if (event.type === "text_delta" || event.type === "hidden_delta") received += event.text;
      if (event.type === "finished") {
        isNoted = true;
        await note(event.usage);
      }
      yield event;
    }
  } finally {
    try {
      // A client that disconnects has already caused work of the model.
      if (isSent && !isNoted && (received !== "" || signal.aborted)) {
        await note(estimateUsage(request, { text: received }));
      }
    } finally {
      await model.end();
    }
  }
}

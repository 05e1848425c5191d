import type { KeyCaller } from "#src/domain/access/permissions/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { endTasksOfKeys } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { deviceOfUser, endKey, pairingOfKey } from "./queries.ts";

interface UnpairDeps {
  db: Db;
  queue: Pick<Queue, "publishBatch">;
}

export interface Unpaired {
  deviceId: string | null;
  apiKeyId: string;
}

/** Ends the calling key and the pairing of its device, if any; the tasks that the key started end soon after. */
export async function unpairKey(deps: UnpairDeps, caller: KeyCaller, client: Client): Promise<Unpaired> {
  const [pairing] = await pairingOfKey(deps.db, caller.keyId);
  return unpair(deps, { ...caller, deviceId: pairing?.deviceId ?? null }, client);
}

/**
 * Unpairs one of the person's own devices: its key ends at once and for good. A repeated request publishes the end of
 * the key's tasks again, because the first request may have died before it published. Throws `not_found`.
 */
export async function unpairDevice(
  deps: UnpairDeps,
  userId: string,
  deviceId: string,
  client: Client,
): Promise<Unpaired> {
  const [own] = isId(deviceId) ? await deviceOfUser(deps.db, userId, deviceId) : [];
  if (!own) throw new AppError("not_found", "Device not found");
  return unpair(deps, { ...own, userId }, client);
}

async function unpair(
  deps: UnpairDeps,
  {
    userId,
    teamId,
    keyId,
    deviceId,
  }: { userId: string; teamId: string; keyId: string; deviceId: string | null },
  client: Client,
): Promise<Unpaired> {
  await endKey(
    deps.db,
    { userId, teamId, keyId },
    {
      action: "desktop.unpaired",
      resourceType: "desktop_device",
      ...(deviceId !== null && { resourceId: deviceId }),
      details: { api_key_id: keyId },
      client,
    },
  );
  await endTasksOfKeys(deps.queue, [keyId]);
  return { deviceId, apiKeyId: keyId };
}

import type { KeyCaller } from "#src/domain/access/permissions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { devicesOfUser, pairingOfKey } from "./queries.ts";

export type Device = Awaited<ReturnType<typeof devicesOfUser>>[number];

/** The person's own devices, including unpaired ones, newest first. A device is paired as long as its key is active. */
export async function listDevices(deps: { db: Db }, userId: string): Promise<Device[]> {
  return devicesOfUser(deps.db, userId);
}

/** The pairing of the key that authenticated the request. */
export async function readPairing(
  deps: { db: Db },
  caller: KeyCaller,
): Promise<{ deviceId: string | null; expiresAt: Date | null }> {
  const [row] = await pairingOfKey(deps.db, caller.keyId);
  return row ?? { deviceId: null, expiresAt: null };
}

import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { enterUserCode, requireOpen, type EnterDeps } from "./look-up-device-sign-in.ts";
import { decideSignIn, deviceSignInById } from "./queries.ts";

/**
 * Approves or denies the sign-in of the program that shows this user code. Of concurrent decisions, only the first counts.
 * Throws as `lookUpDeviceSignIn`.
 */
export async function decideDeviceSignIn(
  deps: EnterDeps,
  caller: UserCaller,
  { userCode, decision }: { userCode: string; decision: "approve" | "deny" },
  client: Client,
): Promise<void> {
  const { id, clientName, ipAddress } = requireOpen(await enterUserCode(deps, caller, userCode, client));
  const isDecided = await decideSignIn(
    deps.db,
    { id, decision, sessionId: caller.sessionId },
    {
      userId: caller.userId,
      action: decision === "approve" ? "device_sign_in.approved" : "device_sign_in.denied",
      resourceType: "device_sign_in",
      resourceId: id,
      details: { client_name: clientName, ip_address: ipAddress },
      client,
    },
  );
  if (isDecided) return;
  // Between the two statements the sign-in was decided or expired.
  const [now] = await deviceSignInById(deps.db, id);
  if (now) requireOpen(now);
}

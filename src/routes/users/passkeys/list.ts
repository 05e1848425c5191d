import { z } from "zod";
import { listPasskeys } from "#src/domain/people/passkeys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describePasskey, Passkey, PASSKEYS_PATH } from "./passkey.ts";

export const listMyPasskeys = endpoint({
  operationId: "listMyPasskeys",
  method: "get",
  path: PASSKEYS_PATH,
  summary: "List the caller's passkeys",
  description: "The oldest first.",
  tag: "Accounts",
  access: { user: "any" },
  response: { status: 200, schema: z.array(Passkey) },
  handler: async ({ services, caller }) => (await listPasskeys(services, caller)).map(describePasskey),
});

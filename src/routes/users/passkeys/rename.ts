import { z } from "zod";
import { renamePasskey } from "#src/domain/people/passkeys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describePasskey, Passkey, PASSKEY_PATH, PasskeyName, PasskeyParams } from "./passkey.ts";

export const renameMyPasskey = endpoint({
  operationId: "renameMyPasskey",
  method: "patch",
  path: PASSKEY_PATH,
  summary: "Rename a passkey",
  tag: "Accounts",
  access: { user: "any" },
  params: PasskeyParams,
  example: { name: "Old laptop" },
  body: z.object({ name: PasskeyName }),
  refusals: [404],
  response: { status: 200, schema: Passkey },
  handler: async ({ services, caller, params, body, client }) =>
    describePasskey(await renamePasskey(services, caller, { id: params.passkey, name: body.name }, client)),
});

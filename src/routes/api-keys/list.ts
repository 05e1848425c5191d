import { z } from "zod";
import { listApiKeys } from "#src/domain/api-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeKey, Key } from "./key.ts";

export const listKeys = endpoint({
  method: "get",
  path: "/api/external-api-keys",
  aliases: ["/api/external/keys"],
  summary: "The caller's keys, revoked ones too, newest first",
  tag: "External keys",
  access: { user: "any" },
  response: { status: 200, schema: z.array(Key) },
  handler: async ({ services, caller }) =>
    (await listApiKeys(services, caller.userId)).map((key) => describeKey(key)),
});

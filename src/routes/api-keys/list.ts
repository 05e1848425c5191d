import { z } from "zod";
import { listApiKeys } from "#src/domain/programs/api-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { PAGES, pageQuery, replyWithPage } from "#src/http/list-page.ts";
import { describeKey, Key } from "./key.ts";

export const listKeys = endpoint({
  operationId: "listApiKeys",
  method: "get",
  path: "/api/external-api-keys",
  aliases: ["/api/external/keys"],
  summary: "List API keys",
  description: `The caller's keys, newest first, revoked ones included. ${PAGES}.`,
  tag: "External keys",
  access: { user: "any" },
  query: pageQuery(z.uuid()),
  response: { status: 200, schema: z.array(Key) },
  async handler({ services, caller, query }) {
    const found = await listApiKeys(services, caller.userId, { ...query, after: query.cursor });
    return replyWithPage(found, query, { describe: (key) => describeKey(key), cursorOf: ({ id }) => id });
  },
});

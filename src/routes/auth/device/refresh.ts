import { z } from "zod";
import { refreshSession } from "#src/domain/access/sessions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { answerTokens, ProgramTokens } from "./tokens.ts";

export const refreshDevice = endpoint({
  operationId: "refreshDeviceSession",
  method: "post",
  path: "/api/auth/device/refresh",
  summary: "Refresh a program's tokens",
  description:
    "The refresh token is in the body, and is single use: using one twice ends the session. Reads and sets no cookie.",
  tag: "Sessions",
  access: "visitors",
  body: z.object({ refresh_token: text({ min: 1, max: 1000 }) }),
  example: { refresh_token: "9d1e…" },
  bodyTypes: ["json", "form"],
  refusals: [401, 429],
  response: { status: 200, schema: ProgramTokens },
  handler: async ({ services, body, client }) =>
    answerTokens(services, await refreshSession(services, body.refresh_token, client)),
});

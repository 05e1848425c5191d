import { z } from "zod";
import { decideRequest } from "#src/domain/programs/connected-apps/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";

export const decide = endpoint({
  operationId: "decideAppRequest",
  method: "post",
  path: "/api/auth/connected-apps/requests/:app_request/decide",
  tag: "Sessions",
  summary: "Decide an app's request",
  description:
    "By the session that opened it. Only the first decision counts: 409 for a second, 410 after ten minutes. The answer is the address that tells the app; of an allowed one it has a code, good once and for a minute.",
  access: { user: "any" },
  params: z.object({ app_request: z.string() }),
  body: z.object({
    decision: z.enum(["allow", "deny"]),
    scopes: z
      .array(text({ max: 100 }))
      .max(100)
      .nullish()
      .describe("Permissions that are left of those asked for; needed to allow"),
    team: text({ max: 100 })
      .nullish()
      .describe("Slug of the team in which the app acts; the default team if absent"),
  }),
  example: { decision: "allow", scopes: ["project.list", "file.read"] },
  refusals: [400, 404, 409, 410],
  response: { status: 200, schema: z.object({ redirect_to: z.string() }) },
  async handler({ services, caller, params, body, client }) {
    const input =
      body.decision === "deny"
        ? ({ decision: "deny" } as const)
        : ({ decision: "allow", scopes: body.scopes ?? [], team: body.team ?? undefined } as const);
    const { redirectTo } = await decideRequest(services, caller, params.app_request, input, client);
    return new Reply({ redirect_to: redirectTo }, { "Cache-Control": "no-store" });
  },
});

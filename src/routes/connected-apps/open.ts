import { z } from "zod";
import { openRequest } from "#src/domain/programs/connected-apps/index.ts";
import { listTeams } from "#src/domain/organisations/teams/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { CLIENT_SCOPES } from "#src/mcp/server/index.ts";

const parameter = () => text({ max: 4_000 }).nullish();

/** Longest `state` that is kept for a client. */
const MAX_STATE = 2_000;

export const open = endpoint({
  operationId: "openAppRequest",
  method: "post",
  path: "/api/auth/connected-apps/requests",
  tag: "Sessions",
  summary: "Show what an app asks",
  description:
    "For the page `/oauth/authorize`, with the parameters of its address. Opens the request for the caller's session, which alone may decide it within ten minutes. An app that is unknown, or an address that is not its own, is refused with 400. Any other fault is in `refused`, with the address that tells the app.",
  errorStyle: "oauth",
  access: { user: "any" },
  body: z.object({
    client_id: parameter(),
    redirect_uri: parameter(),
    response_type: parameter(),
    scope: parameter(),
    state: text({ max: MAX_STATE }).nullish(),
    code_challenge: parameter(),
    code_challenge_method: parameter(),
    resource: parameter(),
  }),
  example: {
    client_id: "mcp_eyJuYW1l…",
    redirect_uri: "http://localhost:1455/callback",
    response_type: "code",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  },
  refusals: [400, 503],
  response: {
    status: 200,
    schema: z.object({
      request: z
        .object({
          id: z.uuid(),
          client_name: z.string().describe("What the app calls itself; nothing has verified it"),
          published_by: z.string().nullable().describe("Host that published its document, or null"),
          returns_to: z.string().describe("A host, `this machine`, or an app's scheme"),
          scopes: z.array(z.object({ value: z.string(), words: z.string() })),
          teams: z.array(z.object({ slug: z.string(), name: z.string(), role: z.string() })),
        })
        .nullable(),
      refused: z.object({ detail: z.string(), redirect_to: z.string() }).nullable(),
    }),
  },
  async handler({ services, caller, body }) {
    const asked = {
      clientId: body.client_id ?? undefined,
      redirectUri: body.redirect_uri ?? undefined,
      responseType: body.response_type ?? undefined,
      scope: body.scope ?? undefined,
      state: body.state ?? undefined,
      codeChallenge: body.code_challenge ?? undefined,
      codeChallengeMethod: body.code_challenge_method ?? undefined,
      resource: body.resource ?? undefined,
    };
    const offered = CLIENT_SCOPES.map(({ scope }) => scope);
    const [opened, teams] = await Promise.all([
      openRequest(services, caller, asked, offered),
      listTeams(services, caller.userId),
    ]);
    const headers = { "Cache-Control": "no-store" };
    if ("redirectTo" in opened) {
      const refused = { detail: opened.detail, redirect_to: opened.redirectTo };
      return new Reply({ request: null, refused }, headers);
    }
    const request = {
      id: opened.id,
      client_name: opened.clientName,
      published_by: opened.publishedBy,
      returns_to: opened.returnsTo,
      scopes: CLIENT_SCOPES.filter(({ scope }) => opened.scopes.includes(scope)).map(({ scope, words }) => ({
        value: scope,
        words,
      })),
      teams: teams.map(({ team, role }) => ({ slug: team.slug, name: team.name, role })),
    };
    return new Reply({ request, refused: null }, headers);
  },
});

import { z } from "zod";
import type { Session } from "#src/domain/access/sessions/index.ts";
import { Reply } from "#src/http/endpoint.ts";
import type { Services } from "#src/services.ts";
import { describeToken, Token } from "../tokens.ts";

/** Both tokens of a session in the response's body, for programs without cookies. Source: RFC 6749, section 5.1. */
export const ProgramTokens = Token.extend({
  expires_in: z.int().describe("Seconds for which the access token is valid"),
  refresh_token: z
    .string()
    .nullable()
    .describe(
      "Single use; null if the presented one was used a moment ago, as its successor was returned then",
    ),
}).meta({ id: "ProgramTokens" });

export function answerTokens(
  { config }: Pick<Services, "config">,
  session: Session,
): Reply<z.input<typeof ProgramTokens>> {
  return new Reply(
    {
      ...describeToken(session),
      expires_in: config.ACCESS_TOKEN_EXPIRE_MINUTES * 60,
      refresh_token: session.refreshToken ?? null,
    },
    { "Cache-Control": "no-store" },
  );
}

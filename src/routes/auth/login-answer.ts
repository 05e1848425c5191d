import { z } from "zod";
import type { LogInOutcome } from "#src/domain/people/accounts/index.ts";
import { sessionCookies } from "#src/http/cookies.ts";
import { Reply } from "#src/http/endpoint.ts";
import type { Services } from "#src/services.ts";

/** The response of every login; clients rely on all five fields being present. */
export const LoggedIn = z
  .object({
    access_token: z
      .string()
      .nullable()
      .describe("JWT for `Authorization: Bearer …`; null until the login code is verified"),
    token_type: z.literal("bearer"),
    requires_2fa: z.boolean(),
    temp_token: z.string().nullable().describe("For `/api/auth/2fa/verify`, together with the code"),
    method: z
      .enum(["email", "app"])
      .nullable()
      .describe("Where the code is: in a mail, or in the authenticator app"),
    detail: z.string().optional().describe("Why the code is late; with status 503 only"),
  })
  .meta({ id: "LoggedIn" });

const RETRYING =
  "The code could not be emailed yet and is being retried. Enter it once it arrives, or request another later";

/** The response to a login: the session, also as cookies, or what the second step needs. */
export function answerLogin(
  { config }: Pick<Services, "config">,
  outcome: LogInOutcome,
): Reply<z.input<typeof LoggedIn>> | Response {
  if ("session" in outcome) {
    const { session } = outcome;
    return new Reply(loggedIn(session), sessionCookies(config, session));
  }
  const { tempToken, method, delivery } = outcome.codeRequest;
  const awaiting = {
    access_token: null,
    token_type: "bearer" as const,
    requires_2fa: true,
    temp_token: tempToken,
    method,
  };
  if (delivery === "sent") return new Reply(awaiting, {});
  return Response.json({ ...awaiting, detail: RETRYING }, { status: 503 });
}

/** A login that needs no second step. */
export function loggedIn({ accessToken }: { accessToken: string }): z.input<typeof LoggedIn> {
  return {
    access_token: accessToken,
    token_type: "bearer",
    requires_2fa: false,
    temp_token: null,
    method: null,
  };
}

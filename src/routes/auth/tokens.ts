import { z } from "zod";

export const Token = z
  .object({
    access_token: z.string().describe("JWT for `Authorization: Bearer …`"),
    token_type: z.literal("bearer"),
  })
  .meta({ id: "Token" });

export function describeToken(session: { accessToken: string }) {
  return { access_token: session.accessToken, token_type: "bearer" as const };
}

import { z } from "zod";
import { cookieOf } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";

export const home = endpoint({
  operationId: "redirectToConsole",
  method: "get",
  path: "/",
  tag: "Pages",
  summary: "Redirect to the console",
  description: "A browser without a session is sent to the sign-in page.",
  access: "public",
  response: { status: 303, schema: z.null() },
  handler({ services: { config }, request }) {
    const cookies = ["session", "refresh_token"] as const;
    const mayBeSignedIn = cookies.some((name) => cookieOf(request, config, name) !== undefined);
    // With `switch` the sign-in page does not ask who is signed in, which would be refused.
    return Promise.resolve(new Reply(null, { Location: mayBeSignedIn ? "/app" : "/login?switch" }));
  },
});

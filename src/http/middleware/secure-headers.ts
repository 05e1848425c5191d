import { secureHeaders } from "hono/secure-headers";

/** Answers are data: nothing may frame them, sniff them or run from them. The reference page sets its own policy. */
export const apiSecureHeaders = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginResourcePolicy: false,
  referrerPolicy: "no-referrer",
});

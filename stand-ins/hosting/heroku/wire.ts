import type http from "node:http";
import { bearer } from "../api.ts";
import { Refused, type Wire } from "../wire.ts";
import { herokuApps } from "./apps.ts";
import { herokuBuilds } from "./builds.ts";
import { herokuError } from "./errors.ts";
import { herokuSources } from "./sources.ts";

const IDS: Readonly<Record<number, string>> = {
  404: "not_found",
  413: "bad_request",
  429: "rate_limit",
  503: "maintenance",
};

/** The calls of Heroku's Platform API that publish a program. Source: https://devcenter.heroku.com/articles/platform-api-reference */
export const herokuWire: Wire = {
  provider: "heroku",
  base: "/heroku",
  calls: [...herokuApps, ...herokuBuilds, ...herokuSources],
  check({ headers }) {
    if (!/^application\/vnd\.heroku\+json;\s*version=3(?:\.[\w-]+)?$/u.test(headers.accept ?? "")) {
      throw new Refused(
        herokuError(
          406,
          "not_acceptable",
          "Set the header Accept: application/vnd.heroku+json; version=3 and try again.",
        ),
      );
    }
  },
  tokenOf: (request) => bearer(request) ?? basic(request),
  refusal: (status, message) => herokuError(status, IDS[status] ?? "internal_server_error", message),
  unauthorized: () => herokuError(401, "unauthorized", "Invalid credentials provided."),
  invalid: (message) => herokuError(422, "invalid_params", message),
  limited: () => ({ "ratelimit-remaining": "0" }),
};

/** The password of Basic authentication, which Heroku's own clients send the token as. */
function basic({ headers }: Pick<http.IncomingMessage, "headers">): string | undefined {
  const encoded = /^Basic (\S+)$/iu.exec(headers.authorization ?? "")?.[1];
  return encoded === undefined
    ? undefined
    : Buffer.from(encoded, "base64")
        .toString()
        .replace(/^[^:]*:/u, "");
}

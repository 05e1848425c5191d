import { expect, it } from "vitest";
import { serve } from "#local/serve.ts";
import { remoteHttp } from "#src/git/remote-http.ts";
import { limitIn } from "#src/lib/remote-rate-limit.ts";
import { createGitHosts } from "#src/platform/git-hosts/index.ts";
import { HANGS_MS } from "#test/support/hangs.ts";

const NOW = Date.parse("2026-05-04T10:00:00Z");
const inSeconds = (seconds: number) => String(NOW / 1000 + seconds);

/** How hosts say that they take no more requests for now, and about how long that is. */
const LIMITS = [
  [
    "GitHub's limit",
    403,
    () => ({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": inSeconds(1800) }),
    1800,
  ],
  ["GitHub's second limit", 403, () => ({ "retry-after": "60" }), 60],
  [
    "GitLab's",
    429,
    () => ({ "ratelimit-remaining": "0", "ratelimit-reset": inSeconds(120), "retry-after": "90" }),
    90,
  ],
  ["Bitbucket's", 429, () => ({}), 60],
] as const;

const token = { authType: "personal_access_token", token: "canary", login: null } as const;
const client = { clientId: undefined, clientSecret: undefined, redirectUri: "https://service.test/" };

/** A server that gives one answer, and the three hosts at its address. */
async function hostsAnswering(status: number, headers: Record<string, string>) {
  const server = await serve((_, response) => void response.writeHead(status, headers).end("{}"));
  const at = { ...client, baseUrl: server.url, apiBaseUrl: server.url };
  const hosts = createGitHosts({
    github: at,
    gitlab: at,
    bitbucket: at,
    timeoutMs: HANGS_MS,
    production: false,
  });
  return { hosts: Object.values(hosts), close: server.close };
}

it.each(LIMITS)("is passing, with its end, at every host: %s", async (_, status, headers, seconds) => {
  expect(limitIn({ status, headers: new Headers(headers()) }, NOW)).toEqual({ seconds });
  const { hosts, close } = await hostsAnswering(status, headers());
  for (const host of hosts) {
    await expect(host.repository(token, "ada", "site")).rejects.toMatchObject({
      code: "rate_limited",
      retryable: true,
      retryAfterSeconds: expect.any(Number),
      message: expect.stringMatching(
        /^\w+ accepts no more requests for now: try again after \d\d:\d\d UTC$/u,
      ),
    });
  }
  await close();
});

it.each(LIMITS)("is passing for git itself: %s", async (_, status, headers) => {
  const remote = { url: "https://git.test/site", authorization: "Basic canary" };
  const answer = { status, headers: new Headers(headers()), body: null };
  const http = remoteHttp(() => Promise.resolve(answer), remote, new AbortController().signal);
  const asked = http.request({ url: `${remote.url}/info/refs`, method: "GET", headers: {} });
  await expect(asked).rejects.toMatchObject({
    code: "rate_limited",
    retryAfterSeconds: expect.any(Number),
  });
});

it("is final where the credentials are refused, and where the host leads elsewhere", async () => {
  for (const [status, code] of [
    [403, "forbidden"],
    [401, "unauthenticated"],
    [301, "not_found"],
  ] as const) {
    const { hosts, close } = await hostsAnswering(status, { location: "/elsewhere" });
    for (const host of hosts) {
      await expect(host.repository(token, "ada", "site")).rejects.toMatchObject({ code, retryable: false });
    }
    await close();
  }
});

import { createHash } from "node:crypto";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createHosting } from "#src/platform/hosting/index.ts";
import { appSpec } from "#src/platform/hosting/digitalocean/app-spec.ts";
import { logLines } from "#src/platform/hosting/log-lines.ts";
import { HOSTING_NAMES } from "#src/domain/hosting/credentials/index.ts";
import { type HostingName, type ReleaseSource } from "#src/platform/hosting/hosting.ts";
import { refusalOf } from "#src/platform/hosting/refusal.ts";
import { createScrub } from "#src/platform/hosting/scrub.ts";
import { vercelFramework } from "#src/platform/hosting/vercel-frameworks.ts";
import { seeded } from "#test/support/random.ts";
import { testOptions } from "./support/options.ts";
import { newRelease } from "./support/release.ts";

const hosting = createHosting(testOptions({}));
const provider = (name: HostingName) => hosting.provider(name, { requests: 0 });

const of = (algorithm: string, content: string | Uint8Array) =>
  createHash(algorithm).update(content).digest("hex");
const plain = (text: string) => text;

/** Each provider's rule, as it documents it. */
const RULES: Readonly<Record<HostingName, RegExp>> = {
  vercel: /^(?!.*---)[a-z0-9-]{1,63}$/u,
  netlify: /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,35}[a-z0-9])?$/u,
  cloudflare: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u,
  heroku: /^[a-z][a-z0-9-]{1,28}[a-z0-9]$/u,
  digitalocean: /^[a-z][a-z0-9-]{0,30}[a-z0-9]$/u,
};

describe.each(HOSTING_NAMES)("names at %s", (name) => {
  const siteName = (slug: string, suffix: string) => provider(name).siteName(slug, suffix);

  it("fit the provider's rule, whatever the slug", () => {
    const random = seeded(17);
    const signs = Array.from("abcXYZ019---__..  äß日\0/%");
    for (let run = 0; run < 300; run += 1) {
      const slug = Array.from(
        { length: random.whole(0, 90) },
        () => signs[random.whole(0, signs.length - 1)],
      ).join("");
      const suffix = random.whole(0, 36 ** 8 - 1).toString(36);
      const made = siteName(slug, suffix);
      expect(made).toMatch(RULES[name]);
      expect(made.endsWith(`-${suffix}`)).toBe(true);
    }
  });

  it("keep what can be read of the slug", () => {
    expect(siteName("Ada's 2nd Site", "k3")).toBe("ada-s-2nd-site-k3");
    expect(siteName("2024-review", "k3")).toBe("review-k3");
    expect(siteName("日本", "k3")).toBe("s-k3");
  });
});

describe("digests", () => {
  const expected: Readonly<Record<HostingName, (file: string, content: Buffer) => string>> = {
    vercel: (_file, content) => of("sha1", content),
    netlify: (_file, content) => of("sha1", content),
    cloudflare: (file, content) =>
      of("sha256", content.toString("base64") + path.extname(file).slice(1)).slice(0, 32),
    heroku: (_file, content) => of("sha256", content),
    digitalocean: (_file, content) => of("sha256", content),
  };

  it.each(HOSTING_NAMES)("are what another computation says: %s", async (name) => {
    const random = seeded(19);
    const names = ["index.html", "a/b.tar.gz", "LICENSE", "a.b/c", ".htaccess", "d/.hidden.js", "end."];
    for (let length = 0; length < 70; length += 1) {
      const content = Buffer.from(Array.from({ length }, () => random.whole(0, 255)));
      const file = names[length % names.length] ?? "";
      expect(await provider(name).digest(file, content)).toBe(expected[name](file, content));
    }
  });
});

describe("what a provider says", () => {
  it.each([
    ['{"error":{"code":"x","message":"of Vercel"}}', "of Vercel"],
    ['{"errors":{"subdomain":["must be unique"]}}', "subdomain must be unique"],
    ['{"success":false,"errors":[{"code":1,"message":"of Cloudflare"},{"code":2}]}', "of Cloudflare"],
    ['{"error":"invalid_grant","error_description":"of OAuth"}', "of OAuth"],
    ['{"message":{"not":"a text"}}', ""],
    ["<html>no</html>", ""],
    [`{"message":"a\\n  b ${"x".repeat(400)}"}`, `a b ${"x".repeat(296)}`],
  ])("is read of %j", (text, reason) => {
    expect(refusalOf({ status: 400, text, retryAfter: null }, plain).reason).toBe(reason);
  });

  it.each([
    ["5", 5],
    ["99999", 3600],
    ["soon", undefined],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    [null, undefined],
  ])("asks to wait: %j", (retryAfter, seconds) => {
    expect(refusalOf({ status: 429, text: "", retryAfter }, plain).retryAfterSeconds).toBe(seconds);
  });

  it("is without secrets in any form, also where one contains another", () => {
    const scrub = createScrub(['a"secret/1', 'a"secret/1-and-more', "on", ""]);
    const said = 'a"secret/1-and-more a\\"secret/1 a%22secret%2F1 goes on';
    expect(scrub(said)).toBe("[hidden] [hidden] [hidden] goes on");
  });

  it("becomes lines without colours", () => {
    expect(logLines(["\u001B[32mok\u001B[0m\r\n\nnext"], plain)).toEqual(["ok", "next"]);
    const many = logLines([Array.from({ length: 1500 }, (_, line) => `line ${line}`).join("\n")], plain);
    expect([many.length, many[0], many.at(-1)]).toEqual([1000, "line 500", "line 1499"]);
    expect(logLines(["y".repeat(5000)], plain)[0]).toHaveLength(2000);
  });
});

it.each([
  ["next", "nextjs"],
  ["NextJS", "nextjs"],
  ["of my own", null],
  [null, null],
])("Vercel's name of the framework %j is %j", (name, known) => {
  expect(vercelFramework(name)).toBe(known);
});

describe("an app at DigitalOcean", () => {
  const site = { id: "i", name: "n", url: null };
  const url = "https://git.example.com/ada/site.git";
  const source: ReleaseSource = { url, branch: "b", commit: "c", isPrivate: false };
  const spec = async (given: { source?: ReleaseSource; framework?: string }) => {
    const release = { source, outputDirectory: "out", ...given };
    return appSpec(await newRelease(provider("digitalocean"), site, {}, release));
  };

  it("is a site, or a program, of a public repository", async () => {
    const git = { repo_clone_url: source.url, branch: "b" };
    expect(await spec({ framework: "vite" })).toMatchObject({
      name: "n",
      static_sites: [{ git, output_dir: "out" }],
    });
    expect(await spec({ framework: "Express" })).toMatchObject({ services: [{ git, http_port: 8080 }] });
  });

  it("is of a private repository of a host that it is connected to, and of no other", async () => {
    const atGitHub = { ...source, url: "https://github.com/ada/site.git", isPrivate: true };
    expect(await spec({ source: atGitHub })).toMatchObject({
      static_sites: [{ github: { repo: "ada/site", branch: "b", deploy_on_push: false } }],
    });
    await expect(spec({ source: { ...source, isPrivate: true } })).rejects.toMatchObject({ kind: "refused" });
  });
});

describe("where a token belongs", () => {
  it("is the stand-in for its tokens, unless an address is configured", () => {
    const standin = createHosting(testOptions({ standinUrl: "http://127.0.0.1:9" }));
    const configured = createHosting(testOptions({ standinUrl: "http://127.0.0.1:9", isConfigured: true }));
    expect(standin.placeOf("vercel", "standin_1")).toBe("standin");
    expect(standin.placeOf("vercel", "of-vercel")).toBe("provider");
    expect(configured.placeOf("vercel", "standin_1")).toBe("provider");
    expect(hosting.placeOf("vercel", "standin_1")).toBe("refused");
    expect(hosting.placeOf("vercel", "of-vercel")).toBe("provider");
  });

  it("is nowhere for a stored one of a stand-in that is gone", async () => {
    const access = { token: "standin_1", metadata: {}, isStandin: true };
    await expect(hosting.provider("heroku", { requests: 1 }).account(access)).rejects.toMatchObject({
      kind: "unauthorized",
    });
  });
});

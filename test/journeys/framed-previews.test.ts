import { describe, expect, it } from "vitest";
import { previewVisitor, signedInVisitor, type PreviewVisitor } from "#test/support/preview-visitor.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newRunningSite } from "#test/support/site.ts";

const service = sharedService();
const owner = await service.signUp("owner");
const site = await newRunningSite(service, owner.token, {
  "index.html": `<h1>Welcome</h1><script src="tell.js"></script>`,
  "tell.js": "1",
});

const FRAME = { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site" };
const attributesOf = (cookies: readonly string[] | undefined) =>
  (cookies ?? []).map((line) => line.replace(/=[^;]*/u, ""));

/** From the preview through the service and back, with these headers on each request. */
async function enter(visitor: PreviewVisitor, headers: Record<string, string>) {
  const asked = await visitor.open(`${site.url}/?from=frame`, headers);
  const entrance = await visitor.open(String(asked.headers.location), headers);
  const entered = await visitor.open(String(entrance.headers.location), headers);
  return { asked, entrance, entered };
}

describe("a visit of a private preview in a frame", () => {
  it("keeps cookies that browsers send to a frame, apart for each site that frames it", async () => {
    const visitor = await signedInVisitor(service, owner);
    const { asked, entered } = await enter(visitor, FRAME);
    const partitioned = "Path=/; HttpOnly; Secure; SameSite=None; Partitioned";
    expect(attributesOf(asked.headers["set-cookie"])).toEqual([`framed_nonce; Max-Age=300; ${partitioned}`]);
    expect(attributesOf(entered.headers["set-cookie"])).toEqual([
      expect.stringMatching(new RegExp(`^framed_session; Max-Age=\\d+; ${partitioned}$`, "u")),
      `framed_nonce; Max-Age=0; ${partitioned}`,
    ]);
    expect(entered.headers.location).toBe("/?from=frame");
    expect(await visitor.open(site.url, FRAME)).toMatchObject({ status: 200 });
    // What the page in the frame loads.
    const own = { "sec-fetch-dest": "script", "sec-fetch-site": "same-origin" };
    expect(await visitor.open(`${site.url}/tell.js`, own)).toMatchObject({ status: 200 });
  });

  it("asks the console to open the entrance itself where the session was not sent", async () => {
    const visitor = previewVisitor(service.url);
    const asked = await visitor.open(site.url, FRAME);
    const { status, headers, text: page } = await visitor.open(String(asked.headers.location), FRAME);
    const policy = String(headers["content-security-policy"]);
    const [, nonce] = /script-src 'nonce-([^']+)'; frame-ancestors 'self'$/u.exec(policy) ?? [];
    expect([status, page.includes(`<script nonce="${nonce}">`)]).toEqual([200, true]);
    // All that an address may hold stays out of the page.
    expect(page).not.toContain(site.slug);
  });

  it("leaves a visit in a tab as it is", async () => {
    const visitor = await signedInVisitor(service, owner);
    const tab = { "sec-fetch-dest": "document", "sec-fetch-site": "none" };
    const { asked, entered } = await enter(visitor, tab);
    expect(attributesOf(asked.headers["set-cookie"])).toEqual([
      "preview_nonce; Max-Age=300; Path=/; HttpOnly; SameSite=Lax",
    ]);
    expect(attributesOf(entered.headers["set-cookie"])[0]).toMatch(
      /^preview_session; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/u,
    );
  });

  it("counts for nothing that a page of another site asks besides", async () => {
    const visitor = await signedInVisitor(service, owner);
    await enter(visitor, FRAME);
    for (const dest of ["script", "image", "empty", "document"]) {
      const foreign = { "sec-fetch-dest": dest, "sec-fetch-site": "cross-site" };
      expect(await visitor.open(site.url, foreign)).toMatchObject({ status: 302 });
      const json = { ...foreign, accept: "*/*" };
      expect(await visitor.open(`${site.url}/tell.js`, json)).toMatchObject({ status: 401 });
    }
    const form = { ...FRAME, origin: "https://evil.example" };
    expect(await visitor.open(site.url, form, "POST")).toMatchObject({ status: 403 });
    const socket = { origin: "https://evil.example", upgrade: "websocket", connection: "upgrade" };
    expect(await visitor.open(site.url, socket)).toMatchObject({ status: 403 });
  });

  it("cannot be handed to another browser, nor taken over from a tab's entrance", async () => {
    const visitor = await signedInVisitor(service, owner);
    const asked = await visitor.open(site.url, FRAME);
    const entrance = String((await visitor.open(String(asked.headers.location))).headers.location);
    expect(await visitor.open(entrance)).toMatchObject({ status: 400 });
    expect(await previewVisitor(service.url).open(entrance, FRAME)).toMatchObject({ status: 400 });
    expect(await visitor.open(entrance, FRAME)).toMatchObject({ status: 302 });
  });
});

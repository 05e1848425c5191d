import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { CHROMIUM, startChromium, type Tab } from "#test/support/chromium.ts";
import { CHALLENGE, VERIFIER } from "#test/support/oauth-client.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

const at = (path: string) => `location.pathname === ${JSON.stringify(path)}`;
const visible = (selector: string) =>
  `(document.querySelector(${JSON.stringify(selector)})?.checkVisibility() ?? false)`;
const textOf = (tab: Tab, selector: string) =>
  tab.read(`document.querySelector(${JSON.stringify(selector)}).textContent`);

/** A name that would run a script where a page took it for markup. */
const MARKUP = "<img src=x onerror=alert(1)>";

/** A program that waits for its person to come back, as command lines do. */
async function listeningProgram() {
  const page = "<!doctype html><link rel='icon' href='data:,'><title>Program</title>";
  const server = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(page));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { address: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/callback` };
}

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  let chromium: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    chromium = await startChromium();
  });
  afterAll(async () => {
    await chromium.close();
  });

  it("a person connects a program with less than it asks for, goes back to it, and disconnects it", async () => {
    const program = await listeningProgram();
    const person = await service.signUp();
    const json = { client_name: MARKUP, redirect_uris: [program.address] };
    const { body } = await service.call<{ client_id: string }>("POST", "/oauth/register", { json });
    const asking = (other: Readonly<Record<string, string>> = {}) => {
      const all = {
        client_id: body.client_id,
        redirect_uri: program.address,
        response_type: "code",
        code_challenge: CHALLENGE,
        code_challenge_method: "S256",
        state: "a state",
        ...other,
      };
      return `${service.url}/oauth/authorize?${new URLSearchParams(all).toString()}`;
    };
    const tab = await chromium.newTab();
    // The address with which the program opens the browser is kept through the sign-in.
    await tab.go(asking());
    await tab.until(at("/login"));
    await tab.type("#username", person.email);
    await tab.type("#password", person.password);
    await tab.click("#password-form button");
    await tab.until(`${at("/oauth/authorize")} && ${visible("#decide-step")}`);
    expect(await textOf(tab, "#client-name")).toBe(MARKUP);
    expect(await textOf(tab, "#returns-to")).toBe("this machine");
    expect(await textOf(tab, "#who")).toBe(person.email);
    // A person with one team is not asked for it.
    expect(await tab.read(visible("#team"))).toBe(false);
    await tab.click("#scopes input[value='terminal.access']");
    await tab.click("#allow");
    await tab.until(at("/callback"));
    const back = new URLSearchParams(String(await tab.read("location.search")));
    expect(Object.fromEntries(back)).toEqual({
      code: expect.stringMatching(/^[\w-]{64}$/u),
      state: "a state",
      iss: service.stack.variables["PUBLIC_URL"],
    });
    const tokens = await service.call<{ access_token: string; scope: string }>("POST", "/oauth/token", {
      form: {
        grant_type: "authorization_code",
        client_id: body.client_id,
        code: back.get("code") ?? "",
        code_verifier: VERIFIER,
      },
    });
    expect(tokens.body.scope.split(" ")).toEqual([
      "project.list",
      "file.read",
      "file.write",
      "chat.view",
      "chat.send",
      "agent.view",
    ]);

    await tab.go(asking());
    await tab.until(visible("#decide-step"));
    await tab.click("#deny");
    await tab.until(`${at("/callback")} && location.search.includes("access_denied")`);

    // A fault of the program is told to the person first; nobody is sent to an address that is not the program's.
    await tab.go(asking({ response_type: "token" }));
    await tab.until(visible("#refused-step"));
    expect(await tab.read("document.querySelector('#back').href")).toContain(`${program.address}?error=`);
    await tab.go(asking({ redirect_uri: "https://evil.example/" }));
    await tab.until(visible("#message"));
    expect(await textOf(tab, "#message")).toBe("The redirect address is not one that the app has registered");
    expect(await tab.read(visible("#refused-step"))).toBe(false);

    await tab.go(`${service.url}/account/sessions`);
    await tab.until(`document.querySelectorAll("#apps li").length === 1`);
    expect(await textOf(tab, "#apps .what p")).toBe(MARKUP);
    await tab.click("#apps button");
    await tab.until(visible("#no-apps"));
    const listing = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const after = await service.call("POST", "/mcp", { token: tokens.body.access_token, json: listing });
    expect(after.status).toBe(401);
  });
});

import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import { drawn } from "#test/support/draw.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

const AWAY = "https://evil.example/x";
const RUN = "window.hacked=1";
/** Texts that would run a script, load something from elsewhere, or lead away, where a page makes HTML of them. */
const TEXTS: readonly string[] = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<img src="${AWAY}">`,
  `<svg onload="${RUN}"></svg>`,
  `<svg><script>${RUN}</script></svg>`,
  `<iframe src="${AWAY}"></iframe>`,
  `<link rel=stylesheet href="${AWAY}">`,
  `<style>@import "${AWAY}";</style>`,
  `<base href="${AWAY}">`,
  `<meta http-equiv=refresh content="0;url=${AWAY}">`,
  `<form action="${AWAY}"><button>x</button></form>`,
  `<object data="${AWAY}"></object>`,
  `<details open ontoggle="${RUN}">x</details>`,
  `<a href="javascript:${RUN}">x</a>`,
  `![picture](${AWAY})`,
  `[![picture](${AWAY})](javascript:${RUN})`,
  `[link](javascript:${RUN})`,
  `[link](java&#x73;cript:${RUN})`,
  `[link](data:text/html,<script>${RUN}</script>)`,
  `[link](file:///etc/passwd)`,
  `[link](//evil.example/x)`,
  `[a]: javascript:${RUN}\n\n[a]`,
  `<javascript:${RUN}>`,
  `![x][b]\n\n[b]: ${AWAY}`,
  `\`\`\`"><script>${RUN}</script>\nx\n\`\`\``,
  `| <img src=x onerror=${RUN}> |\n| - |\n| ![](${AWAY}) |`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
  `<![CDATA[<script>${RUN}</script>]]>`,
  `"><img src=x onerror=${RUN}>`,
  `$\\href{javascript:${RUN}}{x} \\class{a}{x}$`,
  `$$\\includegraphics{${AWAY}}$$`,
  "$\\def\\a{\\a\\a}\\a$",
  "\u202Egnp.exe",
  "\u0000\u0001\u001b[2J",
];
/** Ways in which a text stands in another one. */
const AROUND: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `before ${text} after`,
  (text) => `**${text}**`,
  (text) => `1. ${text}\n2. x`,
  (text) => `_x_\n\n${text}\n\n_y_`,
];
/** Each text in one of these ways, and each way with some of the texts; in a long run all. */
const ALL = drawn(
  TEXTS.flatMap((text) => AROUND.map((around, way) => ({ text, way, whole: around(text) }))),
  { of: ({ text }) => text, kind: ({ way }) => String(way) },
).map(({ whole }) => whole);

describeConsole("hostile texts", () => {
  it("run no script, ask nothing of elsewhere, and break no rule, as text, names and results", async () => {
    const client = await newTaskClient(service);
    const { account } = client;
    let chat_id: string | undefined;
    const size = 20;
    for (let from = 0; from < ALL.length; from += size) {
      const part = ALL.slice(from, from + size);
      const turns = part.map((text) => ({
        text,
        tools: [call("write_file", { file_path: `x/${text.length}.txt`, content: text })],
      }));
      const begun = await client.start(script(...turns, { text: `End ${from}` }), chat_id ? { chat_id } : {});
      chat_id = begun.chat_id;
      await client.end(begun.task_id);
    }
    const title = TEXTS[1] ?? "";
    await service.call("PATCH", `/api/chat/${chat_id}/update`, { token: account.token, json: { title } });
    const path = `/projects/${client.projectId}/chats/${chat_id}`;
    const { page } = await openPage(service, { account, path });
    await expectPage(page.getByRole("log")).toContainText(
      `End ${Math.floor((ALL.length - 1) / size) * size}`,
    );
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    expect(await page.evaluate("'hacked' in window")).toBe(false);
    expect(
      await page
        .locator(
          "main :is(script, img, iframe, style, form:not(.composer), base, object, svg:not(.icon), video)",
        )
        .count(),
    ).toBe(0);
    const hrefs = await page
      .locator("main a")
      .evaluateAll((links) => links.map((each) => each.getAttribute("href")));
    for (const href of hrefs) expect(href).toMatch(/^(https?:|mailto:|\/app)/u);
    expect(new URL(page.url()).pathname).toBe(`/app${path}`);
  });
});

import type { Page } from "@playwright/test";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { apiClient } from "#test/support/api-client.ts";
import { CHROMIUM, launchBrowser } from "#test/support/chromium.ts";
import { openConsole } from "#test/console/support/open-console.ts";
import { serveLongHistory, serveManyMessages } from "#test/console/support/long-history.ts";
import { beginAgent } from "../begin-agent.ts";
import { keyFigures, PageClock } from "../console/page-clock.ts";
import { NotPossible, type Figure, type Measurement } from "../measurement.ts";
import { p50, p95 } from "../statistics.ts";
import { script } from "../task-client.ts";

const CALLS = 10_000;
const EVENTS_PER_S = 50;
const MESSAGES = 300;
const TEXT = "The agent is at work while a person types what is to be done next, fast and without a pause.";

/** A piece of text in the conversation of a project. */
const Delta = z.looseObject({
  event_id: z.int(),
  payload: z.looseObject({ type: z.literal("text_delta") }),
});

export const consoleChat: Measurement = {
  name: "console-chat",
  title: `A chat of ${CALLS.toLocaleString("en")} tool calls in the console`,
  how:
    "In Chromium. A visit without the browser's store, until the frame with the last call. Then an answer " +
    `comes in ${EVENTS_PER_S} pieces a second, and a message is typed on a processor that is four times slower: from a key to the frame ` +
    `with it. Heap and elements afterwards. Then ${MESSAGES} messages, half of them with code and a table, are scrolled from their beginning.`,
  async run(bench) {
    if (CHROMIUM === undefined) throw new NotPossible("there is no Chromium; CHROMIUM_PATH names one");
    const { service } = await bench.use();
    const api = apiClient(service.url);
    const account = await api.signUp("bench");
    const { token } = account;
    const { id: project } = await api.newProject(token);
    const newChat = async () => {
      const json = { project_id: project };
      return (await api.call<{ id: string }>("POST", "/api/chat", { token, json })).body;
    };
    const [chat, chatOfMany] = [await newChat(), await newChat()];
    const browser = await launchBrowser();
    try {
      const { page } = await openConsole(browser, api, { account, path: "/keys" });
      await serveLongHistory(page, chat.id, CALLS);
      const clock = await PageClock.on(page);
      const last = { lines: ".tool .target", text: `echo ${CALLS - 1}`, count: 1 };
      const visits = await clock.visits(`/projects/${project}/chats/${chat.id}`, last);
      const figures: Figure[] = [
        { what: "visit to the last call, p50", value: p50(visits), unit: "ms", goal: { atMost: 1_000 } },
        { what: "visit to the last call, longest", value: Math.max(...visits), unit: "ms" },
        { what: "longest task of the last visit", value: await clock.longestTask(), unit: "ms" },
      ];

      const stream = await streamTo(page, EVENTS_PER_S);
      await page.reload();
      await page.getByLabel("Message the agent").focus();
      await beginAgent(service.url, token, {
        project_id: project,
        chat_id: chat.id,
        message: script([{ text: "word ", stall: true }]),
        edit_mode: "allow",
      });
      await page.getByText("word word").last().waitFor();
      await clock.longestTask();
      const [sentBefore, startedAt] = [stream.sent(), performance.now()];
      const keys = await clock.type(TEXT);
      const perSecond = ((stream.sent() - sentBefore) * 1_000) / (performance.now() - startedAt);
      stream.end();
      figures.push({ what: "events that came while typing", value: perSecond, unit: "per s" });
      figures.push(...keyFigures(keys, await clock.longestTask()), ...(await clock.weight()));

      await serveManyMessages(page, chatOfMany.id, MESSAGES);
      await page.goto(`/app/projects/${project}/chats/${chatOfMany.id}`);
      await page.getByText(`Answer ${MESSAGES / 2}`, { exact: true }).waitFor();
      await clock.longestTask();
      const frames = await clock.scroll("[role=log]");
      figures.push(
        { what: `${MESSAGES} messages scrolled, p95 between frames`, value: p95(frames), unit: "ms" },
        {
          what: "longest task while scrolling",
          value: await clock.longestTask(),
          unit: "ms",
          goal: { atMost: 100 },
        },
      );
      return figures;
    } finally {
      await browser.close();
    }
  },
};

/** Repeats the first piece of text that the service sends, so many times a second: its own pace hangs on this machine. */
async function streamTo(page: Page, perSecond: number) {
  let sent = 0;
  let timer: NodeJS.Timeout | undefined;
  await page.routeWebSocket("**/ws/chat/**", (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      socket.send(message);
      const frame = safeParseJson(message.toString(), Delta)?.value;
      if (!frame || timer) return;
      timer = setInterval(() => {
        sent += 1;
        socket.send(JSON.stringify({ ...frame, event_id: frame.event_id + sent }));
      }, 1_000 / perSecond);
    });
  });
  return { sent: () => sent, end: () => clearInterval(timer) };
}

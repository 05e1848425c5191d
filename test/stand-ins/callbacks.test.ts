import { afterAll, expect, it } from "vitest";
import { startCallbacks } from "#stand-ins/callbacks/index.ts";

const callbacks = await startCallbacks();
afterAll(() => callbacks.close());

const post = (path: string, body: string) =>
  fetch(callbacks.url + path, { method: "POST", body, headers: { "webhook-id": "w1" } });
const list = async (path: string): Promise<unknown> => (await fetch(callbacks.url + path)).json();

it("shows what came in, all of it or by path, with headers and raw body", async () => {
  expect((await post("/one", '{"a": 1}')).status).toBe(200);
  await post("/two?x=1", "text");
  expect(await list("/")).toMatchObject([
    { path: "/one", method: "POST", body: '{"a": 1}', headers: { "webhook-id": "w1" } },
    { path: "/two", body: "text" },
  ]);
  expect(await list("/two")).toMatchObject([{ path: "/two" }]);
  expect(await list("/none")).toEqual([]);
});

it("responds with the status the path names, and keeps the callback", async () => {
  expect((await post("/status/503/hook", "failed")).status).toBe(503);
  expect(await list("/status/503/hook")).toMatchObject([{ body: "failed" }]);
  expect((await post("/status/999", "")).status).toBe(200);
});

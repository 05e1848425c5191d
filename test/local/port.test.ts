import net from "node:net";
import { expect, it } from "vitest";
import { holdPort } from "#local/port.ts";

/** A port that the system gives out by itself. */
async function givenOut(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return address instanceof Object ? address.port : 0;
}

it("holds a free port that no connection of another process is given", async () => {
  const held = await holdPort("127.0.0.1", 0);
  await held.release();
  expect(held.port).toBeGreaterThanOrEqual(20_000);
  expect(held.port).toBeLessThan(Math.min(32_768, await givenOut()));
});

it("holds another one while a port is taken, and names a port that was asked for", async () => {
  const held = await Promise.all(Array.from({ length: 40 }, () => holdPort("127.0.0.1", 0)));
  expect(new Set(held.map(({ port }) => port)).size).toBe(40);
  const [first] = held;
  await expect(holdPort("127.0.0.1", first?.port ?? 0)).rejects.toThrow("already in use");
  await Promise.all(held.map(({ release }) => release()));
});

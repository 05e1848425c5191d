import { afterAll, expect, it } from "vitest";
import { serve } from "#local/serve.ts";
import { bodyOf } from "#src/lib/body-of.ts";
import { collectGarbage } from "#test/support/collect-garbage.ts";

const server = await serve((_request, response) => {
  response.write("one ");
  setTimeout(() => response.end("two"), 300);
});
afterAll(() => server.close());

it("A body is there to its end, however late it is read, although nobody keeps its response", async () => {
  const bodies = await Promise.all(Array.from({ length: 5 }, async () => bodyOf(await fetch(server.url))));
  await collectGarbage();
  const texts = await Promise.all(bodies.map((body) => new Response(body).text()));
  expect(texts).toEqual(bodies.map(() => "one two"));
});

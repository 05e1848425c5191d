import { describe, expect, it } from "vitest";
import { encodeEntries } from "#src/platform/runtime/entry-stream.ts";
import { httpRuntime } from "#src/platform/runtime/http-runtime/index.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { EntryWithContent } from "#src/platform/runtime/project-storage.ts";

const never = () => Promise.reject(new Error("Not asked in these tests"));
const held = {
  storageState: never,
  freeze: never,
  thaw: never,
  discard: never,
  destroy: never,
  readTodos: never,
  writeTodos: never,
};

/** Over a workspace server that programs of its project have taken over: it responds to every request with this. */
const takenOver = (answer: () => Response): ProjectRuntime =>
  httpRuntime({ send: async () => answer(), held });

const MEBIBYTE = new Uint8Array(1024 * 1024).fill(0x20);

describe("an answer of a workspace server that its project has taken over", () => {
  it("is read to a bound and no further", async () => {
    let sent = 0;
    const endless = (status: number) =>
      takenOver(() => {
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            sent += 1;
            if (sent > 200) controller.error(new Error("Nobody stops reading"));
            else controller.enqueue(MEBIBYTE);
          },
        });
        return new Response(body, { status });
      });
    for (const ask of [
      () => endless(200).list("", { recursive: true }),
      () => endless(200).readFile("a"),
      () => endless(200).makeDirectory("a"),
      () => endless(500).stat("a"),
    ]) {
      sent = 0;
      await expect(ask()).rejects.toMatchObject({ code: "unavailable" });
      expect(sent).toBeLessThan(100);
    }
  });

  it("names no place outside the project", async () => {
    for (const path of ["../up", "a/../../up", "/etc/cron.d/job", "a//b", ".", "", "a\0b"]) {
      const stored = { path, kind: "symlink", size: 0, mode: 0o777, modifiedAt: 0, target: "/" } as const;
      const entries = async function* (): AsyncGenerator<EntryWithContent> {
        yield { entry: stored, content: (async function* () {})() };
      };
      const inventory = takenOver(() => Response.json({ entries: [{ ...stored, fingerprint: "x" }] }));
      await expect(inventory.inventory()).rejects.toMatchObject({ code: "invalid_input" });
      const read = await takenOver(() => new Response(encodeEntries(entries()))).readEntries([path]);
      await expect(Array.fromAsync(read)).rejects.toMatchObject({ code: "invalid_input" });
    }
  });
});

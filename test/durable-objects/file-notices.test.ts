import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FileNotices } from "#durable-objects/project-sockets/file-notices.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("sends the first change at once, and what follows together, at most once a second", () => {
  const sent: (readonly string[] | null)[] = [];
  const notices = new FileNotices((paths) => void sent.push(paths));
  notices.add(["a"]);
  expect(sent).toEqual([["a"]]);
  for (const path of ["b", "c", "b"]) notices.add([path]);
  vi.advanceTimersByTime(999);
  expect(sent).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual([["a"], ["b", "c"]]);
  notices.add(["d"]);
  notices.add(null);
  vi.advanceTimersByTime(1000);
  expect(sent.slice(2)).toEqual([null]);
  vi.advanceTimersByTime(5000);
  expect(sent).toHaveLength(3);
  notices.add(["e"]);
  expect(sent[3]).toEqual(["e"]);
});

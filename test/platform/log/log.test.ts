import { DrizzleQueryError } from "drizzle-orm";
import { afterEach, expect, it, vi } from "vitest";
import { createLog } from "#src/platform/log/log.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("tells the text of a query that failed, and none of its values", () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  const cause = new DrizzleQueryError("SELECT $1", ["$2b$10$hash of a password"], new Error("refused"));
  createLog({ request_id: "r" }).error("request failed", { cause: new Error("no answer", { cause }) });
  const line = String(error.mock.calls[0]?.[0]);
  expect(line).not.toContain("hash of a password");
  expect(JSON.parse(line)).toMatchObject({
    level: "error",
    request_id: "r",
    cause: {
      message: "no answer",
      cause: {
        message: "Failed query: SELECT $1",
        stack: expect.stringContaining("log.test.ts"),
        cause: { message: "refused" },
      },
    },
  });
});

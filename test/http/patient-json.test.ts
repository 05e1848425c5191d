import { expect, it, vi } from "vitest";
import { patientJson } from "#src/http/patient-json.ts";

it("is JSON, with spaces before it for as long as the work takes", async () => {
  const work = Promise.withResolvers<unknown>();
  const response = patientJson(work.promise, { onGone: () => undefined });
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(new TextDecoder().decode(first?.value)).toBe(" ");
  work.resolve({ done: true });
  let rest = "";
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    rest += new TextDecoder().decode(part.value);
  }
  expect(rest.trimStart()).toBe('{"done":true}');
});

it("tells that its reader is gone, and breaks off when the work fails", async () => {
  const onGone = vi.fn<() => void>();
  const work = Promise.withResolvers<unknown>();
  await patientJson(work.promise, { onGone }).body?.cancel();
  expect(onGone).toHaveBeenCalledOnce();
  const failed = patientJson(Promise.reject(new Error("failed")), { onGone });
  await expect(failed.text()).rejects.toThrow("failed");
  work.resolve(undefined);
});

import { expect, it } from "vitest";
import { applyEdit, type Edit } from "#src/agent/tools/edits/apply-edit.ts";
import { editFile } from "#src/agent/tools/edits/edit-file.ts";
import { refuseMarks } from "#src/agent/tools/edits/hidden-secrets.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { processorMs } from "#test/support/processor-ms.ts";

/**
 * Milliseconds of processor time that no search here reaches on any machine: each takes less than 300 on a quiet one. Without
 * its bound a search takes a minute and more.
 */
const MAX_CPU_MS = 20_000;

const edit = (oldText: string, newText = "new"): Edit => ({
  oldText,
  newText,
  expectedOccurrence: 1,
  allowMultiple: false,
});
const lines = (count: number, line: string) => `${line}\n`.repeat(count);

it("a wanted text that is nearly everywhere is looked for once", () => {
  const [text, half] = ["a".repeat(1024 * 1024), "a".repeat(20_000)];
  expect(processorMs(() => applyEdit(text, edit(`${half}b${half}`)))).toBeLessThan(MAX_CPU_MS);
});

it("finds the first occurrence of a long text, and that another overlaps it", () => {
  const [part, other] = ["ab".repeat(40), "ba".repeat(40)];
  expect(applyEdit(`x${part}y${other}`, edit(part))).toMatchObject({ text: `xnewy${other}` });
  expect(applyEdit(`x${part}ab`, edit(part))).toMatchObject({ ok: false });
  expect(applyEdit(`${"a".repeat(40)}b${"a".repeat(41)}b`, edit(`${"a".repeat(41)}b`))).toMatchObject({
    text: `${"a".repeat(40)}bnew`,
  });
});

it("equal lines, and many that are as long as the wanted ones, are given up in time", () => {
  const line = "a".repeat(40);
  const equal = () => applyEdit(lines(10_000, line), edit(lines(499, line) + "b".repeat(40)));
  expect(processorMs(equal)).toBeLessThan(MAX_CPU_MS);
  const wanted = Array.from({ length: 200 }, (_, index) => `${"x".repeat(38)}${index % 10}y`);
  const near = wanted.with(50, `${"x".repeat(39)}z`);
  const text = [...near, lines(10_000, "q".repeat(40))].join("\n");
  expect(processorMs(() => applyEdit(text, edit(wanted.join("\n"))))).toBeLessThan(MAX_CPU_MS);
});

it("marks of secrets that do not end are not read to the end of the line each", () => {
  expect(processorMs(() => refuseMarks(["«secret:".repeat(30_000)]))).toBeLessThan(MAX_CPU_MS);
  expect(refuseMarks(["a «secret:API_KEY» b"])).toBeDefined();
});

it("a file of very many lines is changed without a diff", async () => {
  const runtime = new MemoryRuntime({ a: `${"\n".repeat(30_000)}x${"\n".repeat(30_000)}` });
  expect(await editFile(runtime, "a", [edit("x", "y")])).toMatchObject({ ok: true, diff: undefined });
});

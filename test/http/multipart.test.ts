import { streamInPieces } from "#test/support/pieces.ts";
import { describe, expect, it } from "vitest";
import { formFile } from "#src/http/multipart.ts";

const TYPE = "multipart/form-data; boundary=b";

/** A request whose body comes in pieces of so many bytes. */
function request(text: string, size = text.length, type = TYPE): Request {
  const headers = { "content-type": type };
  return new Request("https://service.test/", {
    method: "POST",
    headers,
    body: streamInPieces(text, size),
    duplex: "half",
  } as RequestInit);
}

const part = (disposition: string, content: string, type = "") =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n${content}\r\n`;
const form = (...parts: string[]) => `${parts.join("")}--b--\r\n`;

async function read(from: Request) {
  const { filename, mimeType, body } = await formFile(from, "file");
  return { filename, mimeType, content: await new Response(body).text() };
}

describe("the file of a form", () => {
  const content = "one\r\n--b one\r\n-\r\n--\r\nlast\r\n";
  // Nothing of it may look like the boundary alone.
  const text = content.replace("--b one", "--a one");
  const whole = form(
    part('name="note"', "before"),
    part('name="file"; filename="a \\"b\\".txt"', text, "Content-Type: text/plain\r\n"),
    part('name="after"', "x"),
  );

  it.each([1, 2, 3, 7, 64, 10_000])("is found in pieces of %d bytes", async (size) => {
    expect(await read(request(whole, size))).toEqual({
      filename: 'a "b".txt',
      mimeType: "text/plain",
      content: text,
    });
  });

  it("may be empty, of no type, and have a name in any script", async () => {
    const empty = form(part('name="file"; filename="тест.txt"', ""));
    for (const size of [1, 1000]) {
      expect(await read(request(empty, size))).toEqual({
        filename: "тест.txt",
        mimeType: "application/octet-stream",
        content: "",
      });
    }
  });

  it("is what other clients write", async () => {
    const data = new FormData();
    data.set("x", "y");
    data.set("file", new File(["hello"], "h.txt", { type: "text/css" }));
    const sent = new Request("https://service.test/", { method: "POST", body: data });
    expect(await read(sent)).toEqual({ filename: "h.txt", mimeType: "text/css", content: "hello" });
  });

  it.each([
    ["of another type", request("{}", 2, "application/json")],
    ["without a boundary", request("{}", 2, "multipart/form-data")],
    ["without the file", request(form(part('name="other"; filename="a"', "x")))],
    ["whose field has the name", request(form(part('name="file"', "x")))],
    ["that breaks off in the headers", request("--b\r\nContent-Dis")],
    ["that is empty", request("x", 1)],
    ["with endless headers", request(`--b\r\n${"x".repeat(40_000)}`)],
  ])("is not in a form %s", async (_, broken) => {
    await expect(formFile(broken, "file")).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("fails where it breaks off", async () => {
    await expect(
      read(request('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf')),
    ).rejects.toThrow("The form is malformed");
  });
});

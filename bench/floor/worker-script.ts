/** A minimal Worker: it returns a greeting, or makes one object call that writes one row. */
export const WORKER_SCRIPT = `
import { DurableObject } from "cloudflare:workers";

export class Notes extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  }
  async add(body) {
    this.ctx.storage.sql.exec("INSERT INTO note (body) VALUES (?)", body);
  }
}

export default {
  async fetch(request, env) {
    if (request.url.endsWith("/hello")) return new Response("hello");
    const name = request.url.endsWith("/new") ? crypto.randomUUID() : "one";
    await env.NOTES.getByName(name).add("x".repeat(200));
    return new Response("written");
  },
};`;

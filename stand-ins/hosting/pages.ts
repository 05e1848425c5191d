import type http from "node:http";
import { html, type Markup, sendPage } from "#stand-ins/shared/markup.ts";
import { accountId } from "./cloudflare/account.ts";
import { hexOf } from "./ids.ts";
import { type HostingParts, siteUrl } from "./parts.ts";
import type { Site } from "./records.ts";

export const STANDS_FOR = "Hosting";
export const NOTICE =
  "A stand-in for Vercel, Netlify, Cloudflare, Heroku and DigitalOcean on this machine. It builds and runs nothing.";

const EXAMPLE = "standin_demo";

/** Shows the sites at `/`; returns false for other addresses. */
export function serveIndex(
  parts: HostingParts,
  { method = "GET" }: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): boolean {
  if (url.pathname !== "/" || method !== "GET") return false;
  sendPage(response, { standsFor: STANDS_FOR, notice: NOTICE, title: "Sites", body: index(parts) });
  return true;
}

function index(parts: HostingParts): Markup {
  const sites = parts.store.sites();
  const now = parts.clock();
  return html`<section>
      <h2>Connect</h2>
      <p>
        A token that begins with <code>standin_</code>, such as <code>${EXAMPLE}</code>, is an account of its
        own at each provider. At Cloudflare the account id of <code>${EXAMPLE}</code> is
        <code>${accountId(hexOf(EXAMPLE))}</code>; of another token,
        <code>GET /cloudflare/client/v4/accounts</code>
        says it.
      </p>
    </section>
    <section>
      ${
        sites.length === 0
          ? html`<p>There are no sites.</p>`
          : html`<table>
              <tr>
                <th>Site</th>
                <th>Provider</th>
                <th>Deployments</th>
                <th></th>
              </tr>
              ${sites.map((site) => row(parts, site, now))}
            </table>`
      }
    </section>`;
}

function row(parts: HostingParts, site: Site, now: number): Markup {
  const deployments = parts.store.deployments(site.id);
  const [newest] = deployments;
  const phase = newest && parts.store.phase(newest, now);
  const address = siteUrl(parts, site.host);
  return html`<tr>
    <td><a href="${address}/">${site.name}</a></td>
    <td>${site.provider}</td>
    <td>${deployments.length}${phase === undefined ? "" : `, the newest is ${phase}`}</td>
    <td><a href="/_sites/${site.host}/">By path</a></td>
  </tr>`;
}

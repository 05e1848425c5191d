/**
 * Names that Vercel knows; any other would be refused. Source: vercel/vercel, packages/frameworks/src/frameworks.ts.
 */
const KNOWN: ReadonlySet<string> = new Set(
  (
    "angular astro blitzjs create-react-app django docusaurus docusaurus-2 eleventy ember express fastapi fastify flask " +
    "gatsby gridsome h3 hexo hono hugo hydrogen ionic-angular ionic-react jekyll koa middleman nestjs nextjs nitro nuxtjs " +
    "parcel polymer preact react-router redwoodjs remix sanity scully solidstart-1 stencil storybook svelte sveltekit-1 " +
    "tanstack-start umijs vite vitepress vue vuepress zola"
  ).split(" "),
);

/** What people and containers call some of them. */
const CALLED: ReadonlyMap<string, string> = new Map([
  ["cra", "create-react-app"],
  ["docusaurus2", "docusaurus-2"],
  ["nest", "nestjs"],
  ["next", "nextjs"],
  ["next.js", "nextjs"],
  ["nuxt", "nuxtjs"],
  ["nuxt.js", "nuxtjs"],
  ["react", "create-react-app"],
  ["solidstart", "solidstart-1"],
  ["svelte-kit", "sveltekit-1"],
  ["sveltekit", "sveltekit-1"],
]);

/** Vercel's name of a framework; null for one that it does not know: it then serves files, or runs the build command. */
export function vercelFramework(name: string | null): string | null {
  const called = (name ?? "").toLowerCase();
  const known = CALLED.get(called) ?? called;
  return KNOWN.has(known) ? known : null;
}

import type { ServiceTemplate } from "./service-template.ts";

/** A React app with Vite and TypeScript. */
export const viteReact: ServiceTemplate = {
  id: "01900000-0000-7000-8000-000000000002",
  files: {
    "package.json": `{
  "name": "app",
  "private": true,
  "type": "module",
  "scripts": {
    "dev": "vite --host",
    "build": "tsc && vite build",
    "preview": "vite preview --host"
  },
  "dependencies": {
    "react": "^19.2.0",
    "react-dom": "^19.2.0"
  },
  "devDependencies": {
    "@types/react": "^19.2.0",
    "@types/react-dom": "^19.2.0",
    "@vitejs/plugin-react": "^5.1.0",
    "typescript": "^5.9.0",
    "vite": "^7.2.0"
  }
}
`,
    "vite.config.ts": `import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  // The preview's host name is the project's own.
  server: { allowedHosts: true },
});
`,
    "tsconfig.json": `{
  "compilerOptions": {
    "target": "ES2023",
    "lib": ["ES2023", "DOM", "DOM.Iterable"],
    "module": "ESNext",
    "moduleResolution": "bundler",
    "jsx": "react-jsx",
    "types": ["vite/client"],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "noEmit": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true
  },
  "include": ["src"]
}
`,
    "index.html": `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>App</title>
  </head>
  <body>
    <div id="root"></div>
    <script type="module" src="/src/main.tsx"></script>
  </body>
</html>
`,
    "src/main.tsx": `import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "./style.css";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
`,
    "src/app.tsx": `import { useState } from "react";

export function App() {
  const [count, setCount] = useState(0);
  return (
    <main>
      <h1>Hello</h1>
      <button type="button" onClick={() => setCount(count + 1)}>
        Pressed {count} times
      </button>
    </main>
  );
}
`,
    "src/style.css": `:root {
  color-scheme: light dark;
  font-family: system-ui, sans-serif;
  line-height: 1.5;
}

body {
  margin: 0;
  min-height: 100vh;
  display: grid;
  place-items: center;
}
`,
    ".gitignore": `node_modules
dist
`,
    "README.md": `# React with Vite

\`npm install\`, then \`npm run dev\` serves the app and reloads it at every change; \`npm run build\` checks the types and writes
\`dist/\`.
`,
    ".workspace/config.json": `{
  "apps": {
    "web": {
      "directory": ".",
      "port": 5173,
      "start": "npm install && npm run dev -- --port $PORT",
      "build": "npm install && npm run build",
      "output": "dist",
      "framework": "vite"
    }
  },
  "primaryApp": "web"
}
`,
  },
};

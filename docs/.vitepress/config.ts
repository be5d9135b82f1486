/**
 * The site: every page of the repository that speaks to users, where it stands. Links between pages work here as in the
 * repository, because the sources lie at its root.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type DefaultTheme, defineConfig } from "vitepress"
import { linkBySource, placeOf } from "./pages.ts"

const ROOT = join(import.meta.dirname, "../..")

/** The source of each page, by its place on the site. */
const sources = new Map(
  globSync(["*.md", "{docs,packages}/**/*.md", "interop/*.md"], {
    cwd: ROOT,
    exclude: (path) => path.includes("node_modules")
  }).map((source) => [placeOf(source), source])
)

const guide = [
  {
    text: "Start",
    items: [
      { text: "Five minutes", link: "/start" },
      { text: "Overview", link: "/overview" },
      { text: "Examples", link: "/examples" }
    ]
  },
  {
    text: "Tutorials",
    items: [
      { text: "Two services, shared memory", link: "/tutorials/shared-memory" },
      { text: "Over a network that loses", link: "/tutorials/network" },
      { text: "A durable topic", link: "/tutorials/durable-topic" },
      { text: "Record and replay", link: "/tutorials/record-and-replay" },
      { text: "An Aeron driver you have", link: "/tutorials/existing-aeron" },
      { text: "A RocketMQ store you have", link: "/tutorials/existing-rocketmq" }
    ]
  },
  {
    text: "Guides",
    items: [
      { text: "Back pressure", link: "/guides/back-pressure" },
      { text: "What is guaranteed", link: "/guides/delivery" },
      { text: "Flush modes", link: "/guides/flush-modes" },
      { text: "Containers and /dev/shm", link: "/guides/containers" },
      { text: "Sockets", link: "/guides/sockets" },
      { text: "Operations and alerts", link: "/guides/operations" },
      { text: "Upgrading", link: "/guides/upgrading" }
    ]
  },
  {
    text: "How it works",
    items: [
      { text: "The log buffer", link: "/how/log-buffer" },
      { text: "The store", link: "/how/store" },
      { text: "Architecture", link: "/architecture" }
    ]
  }
]

const reference = [
  {
    text: "Reference",
    items: [
      { text: "Commands", link: "/commands" },
      { text: "Configuration", link: "/configuration" },
      { text: "Errors", link: "/errors" },
      { text: "Metrics", link: "/metrics" },
      { text: "Formats", link: "/formats" },
      { text: "Differences", link: "/differences" },
      { text: "Glossary", link: "/glossary" },
      // Written by `pnpm bench peers`, where that has run.
      ...(sources.has("benchmarks.md") ? [{ text: "Beside others", link: "/benchmarks" }] : []),
      { text: "Licences", link: "/licences" },
      { text: "Security", link: "/security" }
    ]
  },
  {
    text: "Packages",
    items: [
      { text: "core", link: "/packages/core" },
      { text: "transport", link: "/packages/transport" },
      { text: "store", link: "/packages/store" },
      { text: "Command line", link: "/packages/cli" },
      { text: "Benchmarks", link: "/packages/benchmarks" },
      { text: "Simulator", link: "/packages/simulator" },
      { text: "Interop", link: "/interop" }
    ]
  }
]

/** Written by typedoc, which `pnpm site` runs first. */
const packages: ReadonlyArray<Required<Pick<DefaultTheme.SidebarItem, "items" | "text">>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "../api/typedoc-sidebar.json"), "utf8")
)
const modules = packages.map(({ items, text }) => ({ text: `@millrace/${text}`, items, collapsed: false }))

export default defineConfig({
  title: "Millrace",
  description: "Aeron's transport and RocketMQ's message store, as Streams, Sinks, Layers and Services of Effect",
  srcDir: "..",
  srcExclude: [
    "**/node_modules/**",
    "**/test/**",
    "**/dist/**",
    ".changeset/**",
    "packages/testkit/**",
    "interop/*/**"
  ],
  rewrites: placeOf,
  markdown: {
    config: (markdown) => linkBySource(markdown, (page) => sources.get(page) ?? page)
  },
  // Pages outside of this folder find Vue here.
  vite: {
    // The index of the search is one chunk.
    build: { chunkSizeWarningLimit: 4096 },
    resolve: {
      alias: [
        { find: /^vue\/server-renderer$/, replacement: fileURLToPath(import.meta.resolve("vue/server-renderer")) },
        { find: /^vue$/, replacement: fileURLToPath(import.meta.resolve("vue/dist/vue.runtime.esm-bundler.js")) }
      ]
    }
  },
  outDir: ".vitepress/dist",
  cacheDir: ".vitepress/cache",
  cleanUrls: true,
  // Pictures know what the system prefers, and not what a switch of the page says.
  appearance: "force-auto",
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/start", activeMatch: "^/(start|examples|overview|tutorials|guides|how)" },
      { text: "Reference", link: "/commands" },
      { text: "API", link: "/api/", activeMatch: "^/api/" }
    ],
    sidebar: { "/": [...guide, ...reference], "/api/": modules }
  }
})

// How the pages become out/renderer: for any browser, under any address. Used by `npm run build`, `npm run build:pages` and `npm run dev`.
// `npm run gallery` serves the gallery of components, which is never shipped, at /gallery.html.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

const root = import.meta.dirname;
const pages = 'src/renderer/index.html';
export const outDir = join(root, 'out/renderer');

/** Leaves a .br and a .gz beside every file that is sent as it is, so that no request waits for a compressor. A package has the .br alone. */
function compressOnce(): Plugin {
  let folder = outDir;
  return {
    name: 'compress-once',
    apply: 'build',
    configResolved({ root: from, build }) {
      folder = resolve(from, build.outDir);
    },
    closeBundle() {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(?:js|css|svg)$/.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        const content = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

/** Leaves out the descriptions of the contract: the API's documentation has them from the panel's OpenAPI document. Summaries are shown. */
function dropDescriptions(): Plugin {
  const text = /\bdescription:\s*(['"`])(?:\\.|(?!\1)[^\\])*\1/g;
  return {
    name: 'drop-descriptions',
    apply: 'build',
    transform: {
      filter: { id: /\/src\/contract\/.*\.ts$/ },
      order: 'pre',
      handler: (code) => ({ code: code.replace(text, "description: ''"), map: null }),
    },
  };
}

export const renderer: UserConfig = {
  root: join(root, 'src/renderer'),
  // Relative, because the panel lives under a secret prefix that the build cannot know.
  base: './',
  plugins: [react(), dropDescriptions(), compressOnce()],
  build: {
    outDir,
    emptyOutDir: true,
    // Browsers of the last two years. One word, as electron-vite merges lists with themselves.
    target: 'es2023',
    minify: true,
    cssMinify: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // A picture or a font inside a style would need `data:` where the policy does not allow it.
    assetsInlineLimit: 0,
    rolldownOptions: { input: { index: join(root, pages) } },
  },
};

export default defineConfig(({ mode }) => {
  const isGallery = mode === 'gallery';
  const entry = isGallery ? 'src/renderer/gallery.html' : pages;
  return {
    ...renderer,
    build: { ...renderer.build, rolldownOptions: { input: { index: join(root, entry) } } },
  };
});

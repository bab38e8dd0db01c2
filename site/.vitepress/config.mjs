// Copyright The fabric-operator authors.
// SPDX-License-Identifier: Apache-2.0
//
// The site of docs/ and README.md. Every page must stand in sidebar.json (decisions, docs/adr, and reports to others, docs/upstream, are listed by themselves); a link to no page fails the build.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { defineConfig } from 'vitepress'

const project = resolve(import.meta.dirname, '../..')
const docs = join(project, 'docs')
const repository = process.env.SITE_REPOSITORY ?? 'https://github.com/fabric-operator/fabric-operator'

const title = file => readFileSync(join(docs, file), 'utf8').match(/^# (.*)$/m)[1]
const files = directory => readdirSync(directory).filter(name => name.endsWith('.md')).sort()
const sidebar = JSON.parse(readFileSync(join(project, 'site/sidebar.json'), 'utf8'))
const named = new Set(sidebar.flatMap(section => section.items.map(item => item.link === '/' ? 'index.md' : `${item.link.slice(1)}.md`)))
const unnamed = files(docs).filter(file => !named.has(file))
if (unnamed.length > 0) throw new Error(`not in site/sidebar.json: ${unnamed.join(', ')}`)
for (const file of named) if (!existsSync(join(docs, file))) throw new Error(`site/sidebar.json names ${file}, which is not there`)
sidebar.push({
  text: 'Decisions',
  collapsed: true,
  items: files(join(docs, 'adr')).map(file => ({ text: title(`adr/${file}`), link: `/adr/${file.slice(0, -3)}` }))
})

sidebar.push({
  text: 'Reported to others',
  collapsed: true,
  items: files(join(docs, 'upstream')).map(file => ({ text: title(`upstream/${file}`), link: `/upstream/${file.slice(0, -3)}` }))
})

// Pages are written for the repository: what they link to outside of docs is there, and index.md is README.md, which lies one directory above.
function target(href, page) {
  if (/^[a-z]+:|^#|^\//.test(href)) return href
  const [path, anchor] = href.split('#')
  const from = page === 'index.md' ? '' : posix.join('docs', posix.dirname(page))
  const file = posix.join(from, path)
  if (file === 'README.md') return '/'
  if (file.startsWith('docs/') && file.endsWith('.md')) return '/' + file.slice('docs/'.length) + (anchor ? `#${anchor}` : '')
  if (!existsSync(join(project, file))) throw new Error(`${page}: ${href} leads nowhere`)
  return `${repository}/tree/main/${file}${anchor ? `#${anchor}` : ''}`
}

export default defineConfig({
  title: 'fabric-operator',
  description: 'The HPC network fabric as a Kubernetes resource, and MPI jobs without mpirun',
  srcDir: '../target/site-source/docs',
  outDir: '../target/site',
  cacheDir: '../target/site-cache',
  base: process.env.SITE_BASE ?? '/',
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }]
  },
  markdown: {
    config(md) {
      md.core.ruler.push('links-of-the-repository', state => {
        for (const block of state.tokens) {
          for (const token of block.children ?? []) {
            if (token.type === 'link_open') token.attrSet('href', target(token.attrGet('href'), state.env.relativePath))
          }
        }
      })
    }
  }
})

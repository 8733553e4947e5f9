;; Made into dot-products.ts with wabt 1.0 (wat2wasm, SIMD on): the one loop that JavaScript does fifteen times slower.
(module
  (memory (export "memory") 1)
  ;; out[i] = sum over j of rows[i][j] (int8) * query[j] (int16); dims is a multiple of 8
  (func (export "dotProducts") (param $rows i32) (param $query i32) (param $dims i32) (param $count i32) (param $out i32)
    (local $at i32) (local $end i32) (local $sum v128)
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $query))
        (local.set $end (i32.add (local.get $query) (i32.shl (local.get $dims) (i32.const 1))))
        (loop $eight
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $rows)) (v128.load (local.get $at)))))
          (local.set $rows (i32.add (local.get $rows) (i32.const 8)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $eight (i32.lt_u (local.get $at) (local.get $end))))
        (i32.store (local.get $out)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $row)))))

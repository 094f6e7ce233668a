; Ten typed blocks in three towers become one sorted tower. The goal says
; nothing about the block at the bottom's place on the table.
(define (problem sort-ten)
  (:domain blocks-4ops)
  (:requirements :strips :typing)
  (:objects b0 b1 b2 b3 b4 - block
            b5 b6 b7 b8 b9 - block)
  (:init
    (arm-empty)
    (on-table b3) (on b7 b3) (on b0 b7) (on b4 b0) (clear b4)
    (on-table b9) (on b2 b9) (on b5 b2) (clear b5)
    (on-table b8) (on b1 b8) (on b6 b1) (clear b6))
  (:goal (and
    (on b0 b1) (on b1 b2) (on b2 b3) (on b3 b4) (on b4 b5)
    (on b5 b6) (on b6 b7) (on b7 b8) (on b8 b9) (clear b0))))
